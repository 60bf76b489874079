# One part of a reset at a time: what fails is told at the end, and keeps nothing else from being removed.
Set-StrictMode -Version Latest
$ErrorActionPreference = 'Stop'

# One part of a reset: what fails is told at the end, and keeps nothing else from being removed. $Body returns one line
# for each thing it removed.
function Invoke-Cleanup {
    param([string] $Name, [scriptblock] $Body)
    $removed = @()
    $problem = ''
    try {
        & $Body | ForEach-Object { $removed += [string]$_ }
    }
    catch {
        $problem = "$($Name): $($_.Exception.Message)"
        Write-StepProgress -Message $problem
    }
    [pscustomobject]@{ Name = $Name; Removed = $removed; Problem = $problem }
}
