// FerretDB with SQLite behind it, for tests: MongoDB's protocol where there is no MongoDB.
//
//	ferretdb ADDRESS FOLDER
package main

import (
	"context"
	"log"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/FerretDB/FerretDB/ferretdb"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	address, folder := os.Args[1], os.Args[2]
	server, err := ferretdb.New(&ferretdb.Config{
		Listener:  ferretdb.ListenerConfig{TCP: address},
		Handler:   "sqlite",
		SQLiteURL: "file:" + folder + "/",
	})
	if err != nil {
		log.Fatal(err)
	}
	go endWithTests(os.Getppid(), folder)
	if err := server.Run(ctx); err != nil {
		log.Fatal(err)
	}
}

// Tests that are killed, or end without a word, leave nothing behind.
func endWithTests(parent int, folder string) {
	for os.Getppid() == parent {
		time.Sleep(time.Second)
	}
	os.RemoveAll(folder)
	os.Exit(1)
}
