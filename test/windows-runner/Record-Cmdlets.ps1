<#
.SYNOPSIS
Records what Windows' cmdlets give for nothing, one and many, and which errors, for comparison with the model of Windows.

.DESCRIPTION
Runs each case of Show-Cmdlet.ps1 in a Windows PowerShell of its own and writes what it printed beside a line that names the
build. On a throw-away Windows Server only: it is changed. test/unit/rehearsal/machine/machine.test.ts compares the
model with what lies in test/unit/rehearsal/machine/cmdlet-recordings.

.PARAMETER Folder
Folder that gets a file for each case.
#>
[CmdletBinding()]
param(
    [Parameter(Mandatory = $true)]
    [string] $Folder
)

Set-StrictMode -Version Latest
$ErrorActionPreference = 'Stop'

$version = Get-ItemProperty -LiteralPath 'HKLM:\SOFTWARE\Microsoft\Windows NT\CurrentVersion'
$null = New-Item -Path $Folder -ItemType Directory -Force
$script = "$PSScriptRoot\Show-Cmdlet.ps1"
foreach ($case in [regex]::Matches([IO.File]::ReadAllText($script), "(?m)(?<=^    ')[\w.-]+(?=' +=)")) {
    $output = @(& "$env:SystemRoot\System32\WindowsPowerShell\v1.0\powershell.exe" -NoProfile -NonInteractive `
            -ExecutionPolicy Bypass -File $script -Case $case.Value)
    $text = (@("# $($version.ProductName) $($version.CurrentBuildNumber).$($version.UBR)") + $output) -join "`n"
    [IO.File]::WriteAllText((Join-Path $Folder "$($case.Value).json"), "$text`n")
    [Console]::Out.WriteLine("$($case.Value) $output")
}
