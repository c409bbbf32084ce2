// Prints `id message version header length sha256` for each vector of the files given.
package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"log"
	"os"
)

type vector struct {
	ID, Message, Bytes string
	Version            int
	Header             *int
}

func main() {
	for _, path := range os.Args[1:] {
		text, err := os.ReadFile(path)
		check(err)
		for _, line := range bytes.Split(bytes.TrimSpace(text), []byte("\n")) {
			var v vector
			check(json.Unmarshal(line, &v))
			data, err := hex.DecodeString(v.Bytes)
			check(err)
			header := "-"
			if v.Header != nil {
				header = fmt.Sprint(*v.Header)
			}
			fmt.Printf("%s %s %d %s %d %x\n", v.ID, v.Message, v.Version, header, len(data), sha256.Sum256(data))
		}
	}
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
