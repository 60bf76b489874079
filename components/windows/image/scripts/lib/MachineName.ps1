# The computer's name, which is another one from the next boot on.
Set-StrictMode -Version Latest
$ErrorActionPreference = 'Stop'

<#
.SYNOPSIS
Names the computer; returns whether it must reboot to be called so.

.PARAMETER Name
The name: at most 15 characters.
#>
function Set-MachineName {
    [CmdletBinding()]
    [OutputType([bool])]
    param(
        [Parameter(Mandatory = $true)]
        [string] $Name
    )

    $key = 'HKLM:\SYSTEM\CurrentControlSet\Control\ComputerName\ComputerName'
    if ((Get-ItemProperty -LiteralPath $key).ComputerName -ne $Name) {
        Rename-Computer -NewName $Name -Force
    }
    (Get-PendingComputerName) -ne ''
}
