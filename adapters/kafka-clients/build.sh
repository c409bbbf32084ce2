# Builds the testee around a release. Releases before 2.8 have neither converters nor the classes that
# the usual testee is written with; theirs is in before-2.8.
set -e
scala=2.13
case $1 in 2.[2-7].*) cp before-2.8/*.java src/main/java/conformance/; cd src/main/java/conformance; rm Values.java Fallback.java Primitives.java; cd ../../../.. ;; esac
case $1 in 2.[23].*) scala=2.12 ;; esac
exec mvn -q -B "-Dkafka.version=$1" "-Dscala=$scala" process-classes
