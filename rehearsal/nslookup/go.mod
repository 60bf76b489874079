module kindows.dev/rehearsal-nslookup

go 1.26.0
