# Builds the driver, and keeps the classes that it loads in an archive: it is started some 200 times.
set -eu
case $1 in [0-3].* | 4.0.*) rm src/main/java/conformance/Share*.java ;; esac
case $1 in [0-3].*) ;; *) rm src/main/java/conformance/Replacing.java ;; esac
case $1 in 2.2.*) rm src/main/java/conformance/Incremental.java ;; esac
case $1 in 2.* | 3.[01].*) rm src/main/java/conformance/Fencing.java ;; esac
case $1 in 2.[23].*) rm src/main/java/conformance/Forgetting.java ;; esac
case $1 in 2.6.*) with=jackson ;; *) with=!jackson ;; esac
mvn -q -B "-Dkafka.version=$1" "-P$with" process-classes
jar cf target/driver.jar -C target/classes .
java -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -Xmx512m -XX:ArchiveClassesAtExit="$PWD/target/driver.jsa" \
    -cp "$PWD/target/driver.jar:$PWD/target/dependency/*" \
    conformance.Driver topics 127.0.0.1:1 || test -f target/driver.jsa # nobody listens there
