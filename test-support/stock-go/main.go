// Checks what the portal publishes with Go's own code for signed notes and transparency logs. It reads a JSON list of cases
// from standard input, and prints a JSON list with what is wrong with each: nothing for an honest one.
package main

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

// Case is a checkpoint, and perhaps more to be checked against it.
type Case struct {
	Key  string `json:"key"`
	Note string `json:"note"`
	// Witness is the verifier key of a witness that must have cosigned the checkpoint.
	Witness string `json:"witness"`
	// Entry is a leaf's entry, and Index where it is.
	Entry *string `json:"entry"`
	Index int64   `json:"index"`
	// Receipt is a .tlog-proof with the entry as extra data: all of it is in there.
	Receipt *string `json:"receipt"`
	// Tiles is a folder: inclusion of the entry is then proven from the tiles in it.
	Tiles string `json:"tiles"`
	// Path is an inclusion path, base64.
	Path []string `json:"path"`
	// Before is an earlier checkpoint, and Consistency its proof, base64.
	Before      *string  `json:"before"`
	Consistency []string `json:"consistency"`
}

func main() {
	var cases []Case
	if err := json.NewDecoder(os.Stdin).Decode(&cases); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	wrong := make([]string, len(cases))
	for i, c := range cases {
		if err := check(c); err != nil {
			wrong[i] = err.Error()
		}
	}
	json.NewEncoder(os.Stdout).Encode(wrong)
}

func check(c Case) error {
	if c.Receipt != nil {
		lines, checkpoint, found := strings.Cut(*c.Receipt, "\n\n")
		parts := strings.Split(lines, "\n")
		if !found || len(parts) < 3 || parts[0] != "c2sp.org/tlog-proof@v1" {
			return errors.New("not a tlog-proof")
		}
		extra, isExtra := strings.CutPrefix(parts[1], "extra ")
		number, isIndex := strings.CutPrefix(parts[2], "index ")
		entry, err := base64.StdEncoding.Strict().DecodeString(extra)
		if !isExtra || !isIndex || err != nil {
			return errors.New("not a tlog-proof of ours")
		}
		index, err := strconv.ParseInt(number, 10, 64)
		if err != nil {
			return err
		}
		text := string(entry)
		c.Note, c.Index, c.Path, c.Entry = checkpoint, index, parts[3:], &text
	}
	head, err := open(c.Note, c.Key)
	if err != nil {
		return err
	}
	if c.Witness != "" {
		if err := checkCosigned(c.Note, c.Key, c.Witness); err != nil {
			return err
		}
	}
	if c.Before != nil {
		before, err := open(*c.Before, c.Key)
		if err != nil {
			return err
		}
		proof, err := hashes(c.Consistency)
		if err != nil {
			return err
		}
		if err := tlog.CheckTree(proof, head.N, head.Hash, before.N, before.Hash); err != nil {
			return err
		}
	}
	if c.Entry == nil {
		return nil
	}
	leaf := tlog.RecordHash([]byte(*c.Entry))
	if c.Tiles != "" {
		reader := tlog.TileHashReader(head, folder(c.Tiles))
		found, err := reader.ReadHashes([]int64{tlog.StoredHashIndex(0, c.Index)})
		if err != nil {
			return err
		}
		if found[0] != leaf {
			return errors.New("the tile has another leaf")
		}
		proof, err := tlog.ProveRecord(head.N, c.Index, reader)
		if err != nil {
			return err
		}
		return tlog.CheckRecord(proof, head.N, head.Hash, c.Index, leaf)
	}
	proof, err := hashes(c.Path)
	if err != nil {
		return err
	}
	return tlog.CheckRecord(proof, head.N, head.Hash, c.Index, leaf)
}

// open verifies a checkpoint and returns its tree.
func open(text, key string) (tlog.Tree, error) {
	verifier, err := note.NewVerifier(key)
	if err != nil {
		return tlog.Tree{}, err
	}
	opened, err := note.Open([]byte(text), note.VerifierList(verifier))
	if err != nil {
		return tlog.Tree{}, err
	}
	lines := strings.Split(opened.Text, "\n")
	if len(lines) != 4 || lines[0] != verifier.Name() {
		return tlog.Tree{}, errors.New("not a checkpoint of this log")
	}
	size, err := strconv.ParseInt(lines[1], 10, 64)
	if err != nil {
		return tlog.Tree{}, err
	}
	root, err := tlog.ParseHash(lines[2])
	return tlog.Tree{N: size, Hash: root}, err
}

// witness verifies cosignatures by c2sp.org/tlog-cosignature, which Go's note package knows nothing of.
type witness struct {
	name string
	hash uint32
	key  ed25519.PublicKey
}

func (w witness) Name() string    { return w.name }
func (w witness) KeyHash() uint32 { return w.hash }
func (w witness) Verify(msg, sig []byte) bool {
	if len(sig) != 8+ed25519.SignatureSize {
		return false
	}
	signed := fmt.Sprintf("cosignature/v1\ntime %d\n%s", binary.BigEndian.Uint64(sig), msg)
	return ed25519.Verify(w.key, []byte(signed), sig[8:])
}

// checkCosigned opens the note with the keys of the log and of a witness, and looks for the witness's signature.
func checkCosigned(text, logKey, witnessKey string) error {
	log, err := note.NewVerifier(logKey)
	if err != nil {
		return err
	}
	parts := strings.SplitN(witnessKey, "+", 3)
	if len(parts) != 3 {
		return errors.New("not a verifier key")
	}
	key, err := base64.StdEncoding.Strict().DecodeString(parts[2])
	if err != nil || len(key) != 1+ed25519.PublicKeySize || key[0] != 4 {
		return errors.New("not the key of a witness")
	}
	sum := sha256.Sum256(append([]byte(parts[0]+"\n"), key...))
	w := witness{parts[0], binary.BigEndian.Uint32(sum[:]), ed25519.PublicKey(key[1:])}
	if fmt.Sprintf("%08x", w.hash) != parts[1] {
		return errors.New("the key has another id")
	}
	opened, err := note.Open([]byte(text), note.VerifierList(log, w))
	if err != nil {
		return err
	}
	for _, signature := range opened.Sigs {
		if signature.Name == w.name && signature.Hash == w.hash {
			return nil
		}
	}
	return errors.New("the witness did not cosign it")
}

func hashes(texts []string) ([]tlog.Hash, error) {
	list := make([]tlog.Hash, len(texts))
	for i, text := range texts {
		bytes, err := base64.StdEncoding.Strict().DecodeString(text)
		if err != nil || len(bytes) != sha256.Size {
			return nil, errors.New("not a hash")
		}
		copy(list[i][:], bytes)
	}
	return list, nil
}

// folder reads tiles as tlog-tiles names them; Go's own names have the height in them too.
type folder string

func (f folder) Height() int { return 8 }

func (f folder) ReadTiles(tiles []tlog.Tile) ([][]byte, error) {
	data := make([][]byte, len(tiles))
	for i, tile := range tiles {
		path := strings.Replace(tile.Path(), "tile/8/", "tile/", 1)
		bytes, err := os.ReadFile(filepath.Join(string(f), filepath.FromSlash(path)))
		if err != nil {
			return nil, err
		}
		data[i] = bytes
	}
	return data, nil
}

func (f folder) SaveTiles([]tlog.Tile, [][]byte) {}
