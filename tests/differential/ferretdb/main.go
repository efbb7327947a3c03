// FerretDB 1 on SQLite, on a port of the loopback interface: main PORT FOLDER. It ends with its standard input.
package main

import (
	"context"
	"io"
	"log"
	"os"

	"github.com/FerretDB/FerretDB/ferretdb"
)

func main() {
	server, err := ferretdb.New(&ferretdb.Config{
		Listener:  ferretdb.ListenerConfig{TCP: "127.0.0.1:" + os.Args[1]},
		Handler:   "sqlite",
		SQLiteURL: "file:" + os.Args[2] + "/",
	})
	if err != nil {
		log.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		stop()
	}()
	if err := server.Run(ctx); err != nil {
		log.Fatal(err)
	}
}
