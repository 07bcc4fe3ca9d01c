// A receiver with the standard library of Go alone.
//
//	WEBHOOK_SECRET=whsec_… PORT=4000 go run receiver.go
package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

// verify returns an error, unless the raw body was signed with one of the secrets in the last five minutes.
func verify(body []byte, header string, secrets []string) error {
	var times, signatures []string
	for _, part := range strings.Split(header, ",") {
		switch key, value, _ := strings.Cut(strings.TrimSpace(part), "="); key {
		case "t":
			times = append(times, value)
		case "v1":
			signatures = append(signatures, value)
		}
	}
	if len(header) > 2048 || len(times) != 1 || len(times[0]) > 12 {
		return errors.New("Service-Signature is malformed")
	}
	seconds, err := strconv.ParseUint(times[0], 10, 63)
	if err != nil {
		return errors.New("Service-Signature is malformed")
	}
	if age := time.Now().Unix() - int64(seconds); age > 300 || age < -300 {
		return errors.New("the request is old, or this clock is wrong")
	}
	for _, secret := range secrets {
		if !strings.HasPrefix(secret, "whsec_") {
			return errors.New("a secret is not the whole whsec_… text")
		}
		mac := hmac.New(sha256.New, []byte(secret))
		fmt.Fprintf(mac, "%s.%s", times[0], body)
		expected := []byte(hex.EncodeToString(mac.Sum(nil)))
		for _, signature := range signatures {
			if hmac.Equal(expected, []byte(signature)) {
				return nil
			}
		}
	}
	return errors.New("no signature matches")
}

type event struct {
	ID    string `json:"id"`
	Event string `json:"event"`
	Data  struct {
		Prompt struct {
			Ref string `json:"ref"`
		} `json:"prompt"`
		Label struct {
			Name          string `json:"name"`
			VersionNumber int    `json:"versionNumber"`
		} `json:"label"`
	} `json:"data"`
}

// An event can come twice, with the same id. In production, use a database.
var handled sync.Map

func handle(one event) {
	if _, isKnown := handled.LoadOrStore(one.ID, true); isKnown {
		return
	}
	if one.Event == "prompt.label.moved" {
		prompt, label := one.Data.Prompt, one.Data.Label
		fmt.Printf("%s: %s %s is now at version %d\n", one.ID, prompt.Ref, label.Name, label.VersionNumber)
	}
}

func main() {
	// While you rotate the secret: the old and the new one, separated by a comma.
	secrets := strings.Split(os.Getenv("WEBHOOK_SECRET"), ",")
	http.HandleFunc("/hook", func(response http.ResponseWriter, request *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(response, request.Body, 1<<20))
		if err == nil {
			err = verify(body, request.Header.Get("Service-Signature"), secrets)
		}
		var one event
		if err == nil {
			err = json.Unmarshal(body, &one)
		}
		if err != nil {
			log.Print(err)
			response.WriteHeader(http.StatusBadRequest)
			return
		}
		handle(one)
		response.WriteHeader(http.StatusNoContent)
	})
	port := os.Getenv("PORT")
	if port == "" {
		port = "4000"
	}
	listener, err := net.Listen("tcp", ":"+port)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("Listening on port", listener.Addr().(*net.TCPAddr).Port)
	log.Fatal(http.Serve(listener, nil))
}
