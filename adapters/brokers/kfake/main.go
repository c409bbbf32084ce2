// One kfake broker on a port of 127.0.0.1: the one that is given, or a free one for 0.
//
// It prints its address when it is ready, keeps what it holds in the working folder, and ends at
// the end of its stdin.
package main

import (
	"fmt"
	"io"
	"log"
	"os"
	"strconv"

	"github.com/twmb/franz-go/pkg/kfake"
)

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: broker PORT")
	}
	port, err := strconv.Atoi(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	cluster, err := kfake.NewCluster(kfake.Ports(port), kfake.DataDir("data"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(cluster.ListenAddrs()[0])
	// Whoever started it may be killed at any time: not even a shutdown is waited for.
	io.Copy(io.Discard, os.Stdin)
}
