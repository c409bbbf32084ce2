// Only marks the module: a version that is pinned has its own file under versions/.
module testee

go 1.26.0
