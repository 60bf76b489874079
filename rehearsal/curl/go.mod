module kindows.dev/rehearsal-curl

go 1.26.0
