# How the making of the network on the adapter stands: from the session that orders it, by the task that does it, to the
# one that confirms it.
Set-StrictMode -Version Latest
$ErrorActionPreference = 'Stop'

. (Join-Path $PSScriptRoot 'PendingReboot.ps1')
. (Join-Path $PSScriptRoot 'WholeFile.ps1')

$ExternalNetworkRecordPath = 'C:\kindows\state\external-network.json'

# $State is running, done or failed.
function Save-ExternalNetworkRecord {
    param([string] $State, [string] $Message = '')
    $record = [ordered]@{ state = $State; message = $Message; lastBootUpTime = Get-LastBootUpTime }
    Write-WholeText -Path $ExternalNetworkRecordPath -Text (ConvertTo-Json -InputObject $record -Compress)
}

# In this boot; State is none where nothing was ordered.
function Get-ExternalNetworkRecord {
    if (Test-Path -LiteralPath $ExternalNetworkRecordPath) {
        # What a power cut has left empty, or half written, is of an earlier boot.
        $text = [IO.File]::ReadAllText($ExternalNetworkRecordPath)
        if ($text -match '^\{.*\}$') {
            $record = ConvertFrom-Json -InputObject $text
            if ($record.lastBootUpTime -eq (Get-LastBootUpTime)) {
                return @{ State = $record.state; Message = $record.message }
            }
        }
    }
    @{ State = 'none'; Message = '' }
}
