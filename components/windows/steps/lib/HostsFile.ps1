# The hosts file: lines that end with our mark are ours, everybody else's stay as they are.
Set-StrictMode -Version Latest
$ErrorActionPreference = 'Stop'

. (Join-Path $PSScriptRoot 'WholeFile.ps1')

$HostsMark = '# kindows'

# Returns the lines of others, then the wanted ones: tables with Address and Name.
function Merge-HostsLine {
    param([string[]] $Line, [System.Collections.IDictionary[]] $Wanted)
    $foreign = @($Line | Where-Object { -not $_.TrimEnd().EndsWith($HostsMark) })
    foreach ($entry in $Wanted) {
        foreach ($other in $foreign) {
            $words = @(($other -replace '#.*$', '').Trim() -split '\s+')
            # Windows takes the first line that names a host: a foreign one with another address would win.
            $names = @($words | Select-Object -Skip 1)
            if ($names -contains $entry.Name -and $words[0] -ne $entry.Address) {
                Stop-Step -Code 'ForeignHostsEntry' `
                    -Message "The hosts file says '$($other.Trim())', but $($entry.Name) must be $($entry.Address)." `
                    -Remedy 'Remove that line from C:\Windows\System32\drivers\etc\hosts on the machine.'
            }
        }
    }
    $foreign
    foreach ($entry in $Wanted) {
        "$($entry.Address) $($entry.Name) $HostsMark"
    }
}

# Tries again while a scanner holds the file.
function Invoke-HostsFile {
    param([string] $File, [scriptblock] $Body)
    $lastError = ''
    for ($try = 1; $try -le 10; $try++) {
        try {
            return (& $Body)
        }
        catch [System.IO.IOException] {
            $lastError = $_.Exception.Message
            Start-Sleep -Seconds 1
        }
    }
    Stop-Step -Code 'HostsFileBusy' -Message "$File could not be had in 10 s: $lastError" `
        -Remedy 'Find what holds the file (a virus scanner, an editor), then run again.'
}

function Get-HostsLine {
    param([string] $Path)
    if (Test-Path -LiteralPath $Path) {
        Invoke-HostsFile -File $Path -Body { [IO.File]::ReadAllLines($Path, [Text.Encoding]::Default) }
    }
}

function Save-HostsFile {
    param([string] $Path, [string[]] $Line)
    $text = (@($Line) + '') -join "`r`n"
    $bytes = [Text.Encoding]::Default.GetBytes($text)
    Invoke-HostsFile -File $Path -Body { Write-WholeFile -Path $Path -Bytes $bytes }
}

function Remove-HostsLine {
    param([string] $Path)
    $before = @(Get-HostsLine -Path $Path)
    $after = @(Merge-HostsLine -Line $before -Wanted @())
    if ($after.Count -lt $before.Count) {
        Save-HostsFile -Path $Path -Line $after
        Clear-DnsClientCache -ErrorAction Continue
        "$($before.Count - $after.Count) hosts entries"
    }
}
