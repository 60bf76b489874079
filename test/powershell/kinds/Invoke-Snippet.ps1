<#
.SYNOPSIS
Runs small scripts, one after the other, each as -File does but in a runspace instead of a process, and writes a line after each.

.PARAMETER List
File with the path of a script in each line.

.PARAMETER Mark
What is in the line after each script's output, before " 0", or " 1" where an error ended the script.
#>
[CmdletBinding()]
param(
    [Parameter(Mandatory = $true)]
    [string] $List,

    [Parameter(Mandatory = $true)]
    [string] $Mark
)

Set-StrictMode -Version Latest
$ErrorActionPreference = 'Stop'

foreach ($file in [IO.File]::ReadAllLines($List)) {
    $runspace = [RunspaceFactory]::CreateRunspace($Host)
    $runspace.Open()
    $null = $runspace.SessionStateProxy.Path.SetLocation([IO.Path]::GetDirectoryName($file))
    $shell = [PowerShell]::Create()
    $shell.Runspace = $runspace
    # In the global scope.
    $null = $shell.AddCommand($file, $false).AddCommand('Out-Default')
    $code = 0
    try { $null = $shell.Invoke() }
    catch { $code = 1 }
    $shell.Dispose()
    $runspace.Dispose()
    [Console]::Out.Write("$Mark $code`n")
}
