# Files a step needs: the image carries them, or the host pushed them here before the step began.
Set-StrictMode -Version Latest
$ErrorActionPreference = 'Stop'

function Test-FileChecksum {
    param([string] $Path, [string] $Checksum)
    (Test-Path -LiteralPath $Path -PathType Leaf) -and
    ((Get-FileHash -LiteralPath $Path -Algorithm SHA256 -ErrorAction Stop).Hash -eq $Checksum)
}

function Assert-Medium {
    param([string] $Path, [string] $Checksum)
    # `kindows up` knows these two codes by their names (cli/logs/failed-nodes.ts).
    $remedy = 'Run `./kindows up`: it has what was pushed to the machine pushed again. What its image carries, copy ' +
    'there by hand.'
    if (-not (Test-Path -LiteralPath $Path -PathType Leaf)) {
        Stop-Step -Code 'MediumMissing' -Message "$Path is not there." -Remedy $remedy
    }
    $actual = (Get-FileHash -LiteralPath $Path -Algorithm SHA256 -ErrorAction Stop).Hash
    if ($actual -ne $Checksum) {
        $found = "$Path has the SHA-256 $($actual.ToLowerInvariant())"
        Stop-Step -Code 'ChecksumMismatch' -Message "$found, expected was $($Checksum.ToLowerInvariant())." `
            -Remedy $remedy
    }
}
