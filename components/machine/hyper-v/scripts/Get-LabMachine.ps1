<#
.SYNOPSIS
Tells which machines of an owner there are on this Hyper-V host, with their states and addresses. Changes nothing.

.PARAMETER Owner
Whose machines are listed, 12 hexadecimal digits. Default: none, mandatory. Source: the key that logs in to the lab's
machines.

.OUTPUTS
Facts of the result (lib/Step.ps1): machines (each with name, id, making, state, and its addresses).

.NOTES
Exit codes: 0 done; 1 a parameter was rejected; 10 Unexpected; 11 StepBusy; 12 NotAdministrator; 16 DiskFull; 34
ServiceNotRunning; 40 FeatureMissing.
#>
[CmdletBinding()]
param(
    [Parameter(Mandatory = $true)]
    [ValidatePattern('^[0-9a-f]{12}$')]
    [string] $Owner
)

Set-StrictMode -Version Latest
$ErrorActionPreference = 'Stop'
$ProgressPreference = 'SilentlyContinue'

. (Join-Path $PSScriptRoot 'lib\Step.ps1')
. (Join-Path $PSScriptRoot 'lib\HyperVHost.ps1')
. (Join-Path $PSScriptRoot 'lib\LabMark.ps1')

# It only looks: another step that takes long keeps nobody from knowing.
Invoke-Step -Name 'Get-LabMachine' -Alone $false -Body {
    Assert-HyperV
    $machines = @(
        foreach ($machine in @(Get-VM)) {
            $mark = Read-LabMark -Text ([string]$machine.Notes)
            if ($null -ne $mark -and $mark.Owner -eq $Owner) {
                # What its own Windows tells Hyper-V; nothing until that runs.
                $addresses = @(Get-VMNetworkAdapter -VM $machine | ForEach-Object { $_.IPAddresses })
                [ordered]@{
                    name      = $machine.Name
                    id        = [string]$machine.Id
                    making    = $mark.Making
                    state     = [string]$machine.State
                    addresses = @($addresses | Where-Object { $_ })
                }
            }
        }
    )
    New-StepResult -Changed $false -Facts ([ordered]@{ machines = $machines })
}
