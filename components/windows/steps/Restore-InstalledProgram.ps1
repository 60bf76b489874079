<#
.SYNOPSIS
Brings back the programs that Install-OwnProgram has replaced.

.DESCRIPTION
The services that run them stop meanwhile. A program that was not there before is removed.

.PARAMETER Paths
Full paths of the programs, separated by commas. Default: empty, all that were replaced. Source:
components/windows/own-programs.ts.

.OUTPUTS
Facts of the result (lib/Step.ps1): restored (their paths), since.

.NOTES
Exit codes: 0 done; 1 a parameter was rejected; 10 Unexpected; 11 StepBusy; 12 NotAdministrator; 15 CommandTimedOut; 16
DiskFull; 34 ServiceNotRunning; 35 FileInUse; 36 NotReplaced.
#>
[CmdletBinding()]
param(
    [ValidatePattern('^(C:\\[^"*?<>|/,]+\.exe(,C:\\[^"*?<>|/,]+\.exe)*)?$')] [string] $Paths = ''
)

. (Join-Path $PSScriptRoot 'lib\Step.ps1')
. (Join-Path $PSScriptRoot 'lib\OwnProgram.ps1')

Invoke-Step -Name 'Restore-InstalledProgram' -Body {
    $replaced = @(Get-ReplacedProgram)
    $wanted = @(if ($Paths -eq '') { $replaced } else { $Paths -split ',' })
    $others = @($wanted | Where-Object { $replaced -notcontains $_ })
    if ($wanted.Count -eq 0 -or $others.Count -gt 0) {
        $what = if ($others.Count -gt 0) { $others -join ', ' } else { 'No program' }
        Stop-Step -Code 'NotReplaced' -Message "$what was replaced on this machine." `
            -Remedy 'There is nothing to undo; `./kindows status` names what was deployed.'
    }
    try {
        foreach ($path in $wanted) { Restore-Program -Path $path }
    }
    catch {
        Restore-AutomaticService -Name 'containerd', 'kubelet'
        throw
    }
    $since = Start-ProgramService -Path $wanted
    foreach ($path in $wanted) { Remove-ReplacedFile -Folder (Split-Path -Path $path) }
    New-StepResult -Changed $true -Facts ([ordered]@{ restored = $wanted; since = $since })
}
