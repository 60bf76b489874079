# What has to be known after a step, a boot or a power cut: one JSON object in a file below C:\kindows\state.
Set-StrictMode -Version Latest
$ErrorActionPreference = 'Stop'

. (Join-Path $PSScriptRoot 'WholeFile.ps1')

function Save-Record {
    param([string] $Path, [System.Collections.IDictionary] $Record)
    Write-WholeText -Path $Path -Text (ConvertTo-Json -InputObject $Record -Compress)
}

# Nothing where there is no record, or where a power cut has left it empty or half written.
function Read-Record {
    param([string] $Path)
    $text = Read-WholeText -Path $Path
    if ($text -match '^\{.*\}$') {
        ConvertFrom-Json -InputObject $text
    }
}

function Remove-Record {
    param([string] $Path)
    if (Test-Path -LiteralPath $Path) {
        Remove-Item -LiteralPath $Path -Force
    }
}
