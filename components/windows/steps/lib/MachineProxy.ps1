# The machine's proxy, in the environment variables that Go programs (containerd, kubelet, kubeadm) and curl read.

. (Join-Path $PSScriptRoot 'WholeFile.ps1')
. (Join-Path $PSScriptRoot 'Services.ps1')

$ProxyVariables = @('HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY')
$ProxyRecordPath = 'C:\kindows\state\proxy.json'

# Returns the variables that are set, as NAME=value.
function Get-MachineProxy {
    foreach ($name in $ProxyVariables) {
        $value = [string][Environment]::GetEnvironmentVariable($name, 'Machine')
        if ($value -ne '') { "$name=$value" }
    }
}

# $Variable has a value for each name in $ProxyVariables; empty removes it. Returns whether any changed.
function Set-MachineProxy {
    param([System.Collections.IDictionary] $Variable)
    $changed = $false
    foreach ($name in $ProxyVariables) {
        if ([string][Environment]::GetEnvironmentVariable($name, 'Machine') -cne [string]$Variable[$name]) {
            [Environment]::SetEnvironmentVariable($name, $Variable[$name], 'Machine')
            $changed = $true
        }
    }
    $changed
}

# Records the variables' values before the first proxy is set. An existing record stays.
function Save-ProxyRecord {
    if (Test-Path -LiteralPath $ProxyRecordPath) { return }
    $record = [ordered]@{}
    foreach ($name in $ProxyVariables) {
        $record[$name] = [string][Environment]::GetEnvironmentVariable($name, 'Machine')
    }
    Save-Record -Path $ProxyRecordPath -Record $record
}

# Returns nothing if kindows never set a proxy here. If the record is unreadable, the previous values count as empty.
function Get-ProxyRecord {
    if (Test-Path -LiteralPath $ProxyRecordPath) {
        $record = Read-Record -Path $ProxyRecordPath
        if ($null -eq $record) { return @{ HTTP_PROXY = ''; HTTPS_PROXY = ''; NO_PROXY = '' } }
        @{ HTTP_PROXY = $record.HTTP_PROXY; HTTPS_PROXY = $record.HTTPS_PROXY; NO_PROXY = $record.NO_PROXY }
    }
}

function Restore-MachineProxy {
    $before = Get-ProxyRecord
    if ($null -ne $before -and (Set-MachineProxy -Variable $before)) { "the machine's proxy" }
}

function Set-ServiceProxy {
    param([string] $Name, [bool] $Stop = $true)
    Set-ServiceEnvironment -Name $Name -Variable $ProxyVariables -Value @(Get-MachineProxy) -Stop $Stop
}
