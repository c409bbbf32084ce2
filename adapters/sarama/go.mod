// Only marks the module: each version that can be built has its own file under versions/.
module driver

go 1.26.0
