# The log files of a node, their ends, and what must not leave the machine.
Set-StrictMode -Version Latest
$ErrorActionPreference = 'Stop'

. (Join-Path $PSScriptRoot 'WholeFile.ps1')

# Not among them: keys, and kubeadm's and kubelet's kubeconfig files.
$NodeLogFiles = @(
    'C:\var\log\kubelet\*'
    'C:\var\log\containerd\*'
    'C:\var\log\calico\*'
    'C:\var\log\calico\*\*'
    'C:\var\log\flanneld\*'
    'C:\var\log\hybrid-overlay\*'
    'C:\var\log\pods\*calico*\*\*'
    'C:\var\log\pods\*kube-proxy*\*\*'
    'C:\Program Files\containerd\config.toml'
    'C:\etc\cni\net.d\*'
    'C:\etc\kube-flannel\*'
    'C:\run\flannel\*'
    'C:\var\lib\kubelet\config.yaml'
    'C:\var\lib\kubelet\kubeadm-flags.env'
    'C:\Windows\System32\drivers\etc\hosts'
    'C:\kindows\state\*.json'
)

# Tokens, keys and passwords.
function Hide-Secret {
    param([string] $Text)
    $key = '-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(-----END [A-Z ]*PRIVATE KEY-----|$)'
    $hidden = $Text -replace $key, '[redacted]'
    $hidden = $hidden -replace '\b[a-z0-9]{6}\.[a-z0-9]{16}\b', '[redacted]'
    # Behind a name, all that its quotes hold; then in quotes within quotes, in single ones, and without any.
    $name = '(?i)((?:client-key-data|bearer|password|authorization)'
    $sign = '\\*["'']?\s*[:=]\s*'
    $hidden = $hidden -replace "$name$sign`")(?:\\.|[^`"\\])*", '$1[redacted]'
    $hidden = $hidden -replace "$name$sign\\+`")(?:\\(?!\\*`")|[^`"\\])*", '$1[redacted]'
    $hidden = $hidden -replace "$name$sign')[^']*", '$1[redacted]'
    $scheme = '(?:(?:bearer|basic|negotiate|digest|ntlm)\s+)?'
    $hidden = $hidden -replace "$name[`"'\\]*(?:\s*[:=]+\s*|\s+))$scheme(?!'|\\*`"|[:=])[^\s`",]+", '$1[redacted]'
    # The user and password of a proxy's address.
    $hidden -replace '://[^/@\s]+@', '://[redacted]@'
}

# Somebody may be writing to the file.
function Copy-LogTail {
    param([string] $Source, [string] $Target, [int] $TailKiB)
    $stream = New-Object -TypeName System.IO.FileStream -ArgumentList $Source, 'Open', 'Read', 'ReadWrite, Delete'
    try {
        $length = [math]::Min($stream.Length, [long]$TailKiB * 1024)
        $null = $stream.Seek(-$length, [IO.SeekOrigin]::End)
        $reader = New-Object -TypeName System.IO.StreamReader -ArgumentList $stream
        Write-WholeText -Path $Target -Text (Hide-Secret -Text $reader.ReadToEnd())
    }
    finally {
        $stream.Dispose()
    }
}

# A file that can't be read leaves the reason in its place.
function Copy-NodeLog {
    param([string] $Folder, [int] $TailKiB)
    $files = @(
        foreach ($pattern in $NodeLogFiles) {
            if (Test-Path -Path $pattern) {
                Get-ChildItem -Path $pattern -File | Where-Object { $_.Name -notlike 'join-configuration*' }
            }
        }
    )
    foreach ($file in @($files | Sort-Object -Property LastWriteTimeUtc -Descending | Select-Object -First 200)) {
        $target = Join-Path $Folder ($file.FullName.Substring(3) -replace '[\\/:]', '_')
        try {
            Copy-LogTail -Source $file.FullName -Target $target -TailKiB $TailKiB
        }
        catch {
            Write-WholeText -Path "$target.error.txt" -Text $_.Exception.Message
        }
    }
}
