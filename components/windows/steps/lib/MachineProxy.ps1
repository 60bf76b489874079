# The machine's proxy: the environment variables that Go's programs (containerd, kubelet, kubeadm) and curl go by.
Set-StrictMode -Version Latest
$ErrorActionPreference = 'Stop'

. (Join-Path $PSScriptRoot 'WholeFile.ps1')

$ProxyVariables = @('HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY')
$ProxyRecordPath = 'C:\kindows\state\proxy.json'

<#
.SYNOPSIS
Returns the machine's proxy variables as NAME=value, in the order of $ProxyVariables; nothing where none is set.
#>
function Get-MachineProxy {
    [CmdletBinding()]
    [OutputType([string[]])]
    param()

    foreach ($name in $ProxyVariables) {
        $value = [string][Environment]::GetEnvironmentVariable($name, 'Machine')
        if ($value -ne '') {
            "$name=$value"
        }
    }
}

<#
.SYNOPSIS
Sets the machine's proxy variables; returns whether any differed.

.PARAMETER Variable
A value for each name in $ProxyVariables; an empty one removes the variable.
#>
function Set-MachineProxy {
    [CmdletBinding()]
    [OutputType([bool])]
    param(
        [Parameter(Mandatory = $true)]
        [System.Collections.IDictionary] $Variable
    )

    $changed = $false
    foreach ($name in $ProxyVariables) {
        if ([string][Environment]::GetEnvironmentVariable($name, 'Machine') -cne [string]$Variable[$name]) {
            [Environment]::SetEnvironmentVariable($name, $Variable[$name], 'Machine')
            $changed = $true
        }
    }
    $changed
}

<#
.SYNOPSIS
Keeps what the proxy variables hold before this machine's first proxy is set; what was kept once stays.
#>
function Save-ProxyRecord {
    [CmdletBinding()]
    param()

    if (Test-Path -LiteralPath $ProxyRecordPath) {
        return
    }
    $record = [ordered]@{}
    foreach ($name in $ProxyVariables) {
        $record[$name] = [string][Environment]::GetEnvironmentVariable($name, 'Machine')
    }
    Write-WholeText -Path $ProxyRecordPath -Text (ConvertTo-Json -InputObject $record -Compress)
}

<#
.SYNOPSIS
Returns what the proxy variables held before, by name; nothing where this machine never got a proxy from here. Where
nobody can tell any more, they held nothing.
#>
function Get-ProxyRecord {
    [CmdletBinding()]
    [OutputType([System.Collections.IDictionary])]
    param()

    if (Test-Path -LiteralPath $ProxyRecordPath) {
        # What a power cut has left empty, or half written.
        $text = [IO.File]::ReadAllText($ProxyRecordPath)
        if ($text -notmatch '^\{.*\}$') {
            return @{ HTTP_PROXY = ''; HTTPS_PROXY = ''; NO_PROXY = '' }
        }
        $record = ConvertFrom-Json -InputObject $text
        @{ HTTP_PROXY = $record.HTTP_PROXY; HTTPS_PROXY = $record.HTTPS_PROXY; NO_PROXY = $record.NO_PROXY }
    }
}

<#
.SYNOPSIS
Gives the machine back what the proxy variables held before; returns a line where any differed.
#>
function Restore-MachineProxy {
    [CmdletBinding()]
    [OutputType([string])]
    param()

    $before = Get-ProxyRecord
    if ($null -ne $before -and (Set-MachineProxy -Variable $before)) {
        "the machine's proxy"
    }
}

<#
.SYNOPSIS
Forgets what was kept, once it has come back.
#>
function Remove-ProxyRecord {
    [CmdletBinding()]
    param()

    if (Test-Path -LiteralPath $ProxyRecordPath) {
        Remove-Item -LiteralPath $ProxyRecordPath -Force
    }
}
