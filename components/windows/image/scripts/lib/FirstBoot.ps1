# What a sealed image carries for the first boot of each machine made from it, and what that boot takes away again.
Set-StrictMode -Version Latest
$ErrorActionPreference = 'Stop'

$FirstBootFolder = 'C:\kindows\image'
# Windows runs it as SYSTEM at the end of its setup, before anybody can log on.
$SetupCompletePath = 'C:\Windows\Setup\Scripts\SetupComplete.cmd'
$FirstBootLog = 'C:\kindows\state\identity.log'

<#
.SYNOPSIS
Puts the scripts of the first boot into the image, and the file by which Windows starts them.

.PARAMETER Source
Folder with the scripts and their library.
#>
function Install-FirstBoot {
    [CmdletBinding()]
    param(
        [Parameter(Mandatory = $true)]
        [string] $Source
    )

    Protect-Folder -Path $FirstBootFolder
    $null = New-Item -Path "$FirstBootFolder\lib" -ItemType Directory -Force
    foreach ($name in 'Rename-Machine.ps1', 'Set-MachineIdentity.ps1') {
        Copy-Item -LiteralPath (Join-Path $Source $name) -Destination $FirstBootFolder -Force
    }
    foreach ($file in Get-ChildItem -LiteralPath (Join-Path $Source 'lib') -Filter '*.ps1' -File) {
        Copy-Item -LiteralPath $file.FullName -Destination "$FirstBootFolder\lib" -Force
    }
    foreach ($path in $SetupCompletePath, $FirstBootLog) {
        $null = New-Item -Path (Split-Path -Path $path) -ItemType Directory -Force
    }
    $script = "powershell.exe -NoLogo -NoProfile -NonInteractive -ExecutionPolicy Bypass " +
    "-File $FirstBootFolder\Set-MachineIdentity.ps1"
    [IO.File]::WriteAllText($SetupCompletePath, "@$script >$FirstBootLog 2>&1`r`n")
}

<#
.SYNOPSIS
Takes the scripts of the first boot away once it has ended; also while one of them runs.
#>
function Remove-FirstBoot {
    [CmdletBinding()]
    param()

    foreach ($path in $SetupCompletePath, $FirstBootFolder) {
        if (Test-Path -LiteralPath $path) {
            Remove-Item -LiteralPath $path -Recurse -Force
        }
    }
}
