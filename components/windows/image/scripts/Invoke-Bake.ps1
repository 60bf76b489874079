<#
.SYNOPSIS
Does in the image what every node made from it would have to do otherwise: runs the nodes' own steps.

.DESCRIPTION
Run over SSH before Complete-Image, from the CD, whose bake.json names the steps and their parameters
(components/windows/image/bake.ts). A step that needs a reboot orders it, and this script ends with 75: run it again
when the machine answers. Steps that are done find nothing to do. Says on the serial port which step it is at.

.OUTPUTS
Facts of the result (lib/Step.ps1): steps (how many).

.NOTES
Exit codes: 0 done; 1 a parameter was rejected; 10 Unexpected; 11 StepBusy; 12 NotAdministrator; 14 CommandFailed; 15
CommandTimedOut; 16 DiskFull; 75 RebootNotDone. The last one means: try again.
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

# Not alone: each step it runs is.
Invoke-Step -Name 'Invoke-Bake' -Alone $false -Body {
    $waitsFor = ''
    try {
        $plan = Get-Content -LiteralPath (Join-Path $PSScriptRoot 'bake.json') -Raw | ConvertFrom-Json
        Copy-Program -Source (Join-Path $PSScriptRoot 'programs')
        foreach ($each in $plan.steps) {
            Write-SerialLine -Message "baking: $($each.step)"
            $script = Join-Path $PSScriptRoot "$($each.step).ps1"
            if (Invoke-BakedStep -Script $script -Parameters $each.parameters) {
                $waitsFor = $each.step
                break
            }
        }
        if ($waitsFor -eq '') {
            Remove-Program
        }
    }
    catch {
        Write-SerialFailure -Exception $_.Exception
        throw
    }
    if ($waitsFor -ne '') {
        Write-SerialLine -Message "rebooting for $waitsFor"
        Stop-Step -Code 'RebootNotDone' -Message "The machine reboots for $waitsFor." `
            -Remedy 'Run again when it answers.'
    }
    New-StepResult -Changed $true -Facts ([ordered]@{ steps = @($plan.steps).Count })
}
