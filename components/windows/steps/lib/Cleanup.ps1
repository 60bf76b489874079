# One part of a reset at a time: what fails is told at the end, and keeps nothing else from being removed.
Set-StrictMode -Version Latest
$ErrorActionPreference = 'Stop'

<#
.SYNOPSIS
Runs one part of a reset; returns its name, what it removed and what went wrong.

.PARAMETER Name
What the part is about, for errors.

.PARAMETER Body
Removes what is there, and returns one line of text for each thing it removed.
#>
function Invoke-Cleanup {
    [CmdletBinding()]
    [OutputType([pscustomobject])]
    param(
        [Parameter(Mandatory = $true)]
        [string] $Name,

        [Parameter(Mandatory = $true)]
        [scriptblock] $Body
    )

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
