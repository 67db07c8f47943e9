// Verifies, with Go's sumdb/note, sumdb/tlog and crypto/ed25519, what this project has signed and proved.
// The input has lines of JSON; each must verify.
package main

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

type evidence struct {
	Note        string
	Log         string
	Witness     string
	Event       []byte
	Index       int64
	Inclusion   []tlog.Hash
	OldSize     int64
	OldRoot     tlog.Hash
	Consistency []tlog.Hash
}

// cosigner verifies cosignatures of version 1; sumdb/note knows keys of type 1 only.
type cosigner struct {
	name string
	hash uint32
	key  ed25519.PublicKey
}

func (c cosigner) Name() string    { return c.name }
func (c cosigner) KeyHash() uint32 { return c.hash }
func (c cosigner) Verify(msg, sig []byte) bool {
	if len(sig) != 8+ed25519.SignatureSize {
		return false
	}
	signed := fmt.Sprintf("cosignature/v1\ntime %d\n%s", binary.BigEndian.Uint64(sig), msg)
	return ed25519.Verify(c.key, []byte(signed), sig[8:])
}

func newCosigner(vkey string) cosigner {
	parts := strings.SplitN(vkey, "+", 3)
	key, err := base64.StdEncoding.DecodeString(parts[2])
	check(err)
	sum := sha256.Sum256(append([]byte(parts[0]+"\n"), key...))
	if key[0] != 4 || fmt.Sprintf("%x", sum[:4]) != parts[1] {
		log.Fatalf("the key %q has another type or id", vkey)
	}
	return cosigner{parts[0], binary.BigEndian.Uint32(sum[:4]), key[1:]}
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func main() {
	decoder := json.NewDecoder(os.Stdin)
	for decoder.More() {
		var e evidence
		check(decoder.Decode(&e))
		logKey, err := note.NewVerifier(e.Log)
		check(err)
		opened, err := note.Open([]byte(e.Note), note.VerifierList(logKey, newCosigner(e.Witness)))
		check(err)
		if len(opened.Sigs) != 2 || len(opened.UnverifiedSigs) != 0 {
			log.Fatalf("%d signatures were verified, %d were not", len(opened.Sigs), len(opened.UnverifiedSigs))
		}
		lines := bytes.Split([]byte(opened.Text), []byte("\n"))
		var size int64
		_, err = fmt.Sscanf(string(lines[1]), "%d", &size)
		check(err)
		root, err := tlog.ParseHash(string(lines[2]))
		check(err)
		check(tlog.CheckRecord(e.Inclusion, size, root, e.Index, tlog.RecordHash(e.Event)))
		check(tlog.CheckTree(e.Consistency, size, root, e.OldSize, e.OldRoot))
	}
	fmt.Println("verified")
}
