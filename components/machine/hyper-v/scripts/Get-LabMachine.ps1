<#
.SYNOPSIS
Lists an owner's machines on this Hyper-V host, with their states and addresses. Changes nothing.

.PARAMETER Owner
Id of the machines' owner, 12 hexadecimal digits. Default: none, mandatory. Source: the key that logs in to the lab's
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

# It changes nothing, so it does not wait for other steps.
Invoke-Step -Name 'Get-LabMachine' -Alone $false -Body {
    Assert-HyperV
    $machines = @(
        foreach ($machine in @(Get-VM)) {
            $mark = Read-LabMark -Text ([string]$machine.Notes)
            if ($null -ne $mark -and $mark.Owner -eq $Owner) {
                # Reported by the machine's Windows; none until it runs.
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
