package main

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"strings"
	"time"

	"golang.org/x/crypto/ssh"
)

// A server that knows one user with one key, and one command.
type server struct {
	config *ssh.ServerConfig
	discs  []disc
	state  diskState
}

func newServer(discs []disc, state diskState) (*server, error) {
	read := func(name string) ([]byte, error) {
		file, there := findOn(discs, `kindows\ssh\`+name)
		if !there {
			return nil, fmt.Errorf("ssh\\%s is not on the disc", name)
		}
		return os.ReadFile(file)
	}
	hostKey, err := read("ssh_host_ed25519_key")
	if err != nil {
		return nil, err
	}
	signer, err := ssh.ParsePrivateKey(hostKey)
	if err != nil {
		return nil, fmt.Errorf("the host key: %w", err)
	}
	keys, err := read("administrators_authorized_keys")
	if err != nil {
		return nil, err
	}
	authorized, _, _, _, err := ssh.ParseAuthorizedKey(keys)
	if err != nil {
		return nil, fmt.Errorf("the key that may log in: %w", err)
	}
	config := &ssh.ServerConfig{
		PublicKeyCallback: func(who ssh.ConnMetadata, key ssh.PublicKey) (*ssh.Permissions, error) {
			if who.User() == "Administrator" && bytes.Equal(key.Marshal(), authorized.Marshal()) {
				return nil, nil
			}
			return nil, fmt.Errorf("not allowed")
		},
	}
	config.AddHostKey(signer)
	return &server{config, discs, state}, nil
}

// serveSsh is the end of preparing: from here on the host says what is done.
func serveSsh(discs []disc, state diskState) error {
	server, err := newServer(discs, state)
	if err != nil {
		serial("kindows: failed: " + err.Error())
		select {}
	}
	return server.serve()
}

func (s *server) serve() error {
	if err := setAddress("eth0", [4]byte{10, 0, 2, 15}, [4]byte{255, 255, 255, 0}); err != nil {
		return fmt.Errorf("the network: %w", err)
	}
	listener, err := net.Listen("tcp4", ":22")
	if err != nil {
		return err
	}
	for {
		connection, err := listener.Accept()
		if err != nil {
			return err
		}
		go s.talk(connection)
	}
}

func (s *server) talk(connection net.Conn) {
	session, channels, requests, err := ssh.NewServerConn(connection, s.config)
	if err != nil {
		return
	}
	way := newWayOut(session)
	go way.answer(requests)
	for one := range channels {
		if one.ChannelType() != "session" {
			_ = one.Reject(ssh.UnknownChannelType, "no")
			continue
		}
		channel, requests, err := one.Accept()
		if err != nil {
			return
		}
		go s.session(channel, requests, way)
	}
}

func (s *server) session(channel ssh.Channel, requests <-chan *ssh.Request, way *wayOut) {
	defer channel.Close()
	for request := range requests {
		if request.Type != "exec" {
			_ = request.Reply(false, nil)
			continue
		}
		_ = request.Reply(true, nil)
		var asked struct{ Command string }
		code := uint32(1)
		if err := ssh.Unmarshal(request.Payload, &asked); err == nil {
			code = s.run(asked.Command, channel, way)
		}
		_, _ = channel.SendRequest("exit-status", false, ssh.Marshal(struct{ Code uint32 }{code}))
		return
	}
}

// run knows the command that seals: it does what Complete-Image.ps1 does, to what the stand-in has of it.
func (s *server) run(command string, channel ssh.Channel, way *wayOut) uint32 {
	fail := func(message string) uint32 {
		fmt.Fprintln(channel.Stderr(), message)
		return 10
	}
	if !strings.HasPrefix(command, "powershell.exe ") || !strings.Contains(command, "'Complete-Image.ps1'") {
		return fail("the stand-in knows no such command: " + command)
	}
	script, there := findOn(s.discs, lastScript)
	if !there {
		return fail(lastScript + " is on no disc")
	}
	text, err := os.ReadFile(script)
	if err != nil {
		return fail(err.Error())
	}
	result, code, err := s.confirmBuild(command)
	if err != nil {
		fmt.Fprintln(channel.Stderr(), err)
		return code
	}
	fmt.Fprintln(channel, result)
	if err := s.bake(command, way); err != nil {
		return fail(err.Error())
	}
	sealed, there := findOn(s.discs, `kindows\sealed.xml`)
	if !there || !strings.Contains(command, "'sealed.xml'") {
		return fail("no answer file for later")
	}
	if later, err := os.ReadFile(sealed); err != nil || !strings.Contains(string(later), "@ADMINISTRATOR-PASSWORD@") {
		return fail("the answer file for later has no place for a password")
	}
	if faultAsked(s.discs, "sealing-fails") {
		return fail("asked to")
	}
	for _, message := range spoken.FindAllStringSubmatch(string(text), -1) {
		serial("kindows: " + message[1])
	}
	if err := writeState(diskState{Phase: phaseSealed, Windows: s.state.Windows, Update: s.state.Update}); err != nil {
		return fail(err.Error())
	}
	if !faultAsked(s.discs, "stays-on") {
		go func() {
			// The script's own delay: its session ends before.
			time.Sleep(5 * time.Second)
			if err := powerOff(); err != nil {
				stop(err)
			}
		}()
	}
	fmt.Fprintln(channel, `{"step":"Complete-Image","changed":true,"rebootRequired":false,"seconds":0,"facts":{}}`)
	return 0
}
