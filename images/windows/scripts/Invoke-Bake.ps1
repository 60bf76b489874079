<#
.SYNOPSIS
Runs steps of a node in the image, so that the nodes made from it find them done.

.DESCRIPTION
Run over SSH before Complete-Image, from the CD. The CD's bake.json has the steps and their parameters
(images/windows/bake.ts). If a step orders a reboot, this script ends with 75: run it again when the machine
answers. Steps that are done find nothing to do. Writes the name of each step to the serial port.

.OUTPUTS
Facts of the result (lib/Step.ps1): steps (their number).

.NOTES
Exit codes: 0 done; 1 a parameter was rejected; 10 Unexpected; 11 StepBusy; 12 NotAdministrator; 14 CommandFailed; 15
CommandTimedOut; 16 DiskFull; 75 RebootNotDone. After 75, run it again.
#>
[CmdletBinding()]
param()

Set-StrictMode -Version Latest
$ErrorActionPreference = 'Stop'
$ProgressPreference = 'SilentlyContinue'

. (Join-Path $PSScriptRoot 'lib\Step.ps1')
. (Join-Path $PSScriptRoot 'lib\NativeCommand.ps1')
. (Join-Path $PSScriptRoot 'lib\SerialLog.ps1')
. (Join-Path $PSScriptRoot 'lib\Bake.ps1')

# Does not take the lock, because each step that it runs does.
Invoke-Step -Name 'Invoke-Bake' -Alone $false -Body {
    $rebootingFor = ''
    try {
        $plan = ConvertFrom-Json -InputObject ([IO.File]::ReadAllText((Join-Path $PSScriptRoot 'bake.json')))
        Copy-Program -Source (Join-Path $PSScriptRoot 'programs')
        foreach ($each in $plan.steps) {
            Write-SerialLine -Message "baking: $($each.step)"
            $script = Join-Path $PSScriptRoot "$($each.step).ps1"
            if (Invoke-BakedStep -Script $script -Parameters $each.parameters -StandardInput $each.input) {
                $rebootingFor = $each.step
                break
            }
        }
        if ($rebootingFor -eq '') {
            Remove-Program
        }
    }
    catch {
        Write-SerialFailure -Exception $_.Exception
        throw
    }
    if ($rebootingFor -ne '') {
        Write-SerialLine -Message "rebooting for $rebootingFor"
        Stop-Step -Code 'RebootNotDone' -Message "The machine reboots for $rebootingFor." `
            -Remedy 'Run again when it answers.'
    }
    New-StepResult -Changed $true -Facts ([ordered]@{ steps = @($plan.steps).Count })
}
