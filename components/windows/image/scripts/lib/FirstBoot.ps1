# What a sealed image carries for the first boot of each machine made from it, and what that boot takes away again.
Set-StrictMode -Version Latest
$ErrorActionPreference = 'Stop'

$FirstBootFolder = 'C:\kindows\image'
# Windows runs it as SYSTEM at the end of its setup, before anybody can log on.
$SetupCompletePath = 'C:\Windows\Setup\Scripts\SetupComplete.cmd'
$FirstBootLog = 'C:\kindows\state\identity.log'
# Runs the same once more, after the reboot that names the machine.
$FirstBootTaskName = 'kindows-first-boot'
# Says that there is that task: to ask for tasks fails where any task of Windows' own is broken.
$FirstBootMark = 'C:\kindows\state\first-boot'

<#
.SYNOPSIS
Puts the script of the first boot into the image, and the file by which Windows starts it.

.PARAMETER Source
Folder with the script and its library.
#>
function Install-FirstBoot {
    [CmdletBinding()]
    param(
        [Parameter(Mandatory = $true)]
        [string] $Source
    )

    Protect-Folder -Path $FirstBootFolder
    $null = New-Item -Path "$FirstBootFolder\lib" -ItemType Directory -Force
    Copy-Item -LiteralPath (Join-Path $Source 'Set-MachineIdentity.ps1') -Destination $FirstBootFolder -Force
    foreach ($file in Get-ChildItem -LiteralPath (Join-Path $Source 'lib') -Filter '*.ps1' -File) {
        Copy-Item -LiteralPath $file.FullName -Destination "$FirstBootFolder\lib" -Force
    }
    foreach ($path in $SetupCompletePath, $FirstBootLog) {
        $null = New-Item -Path (Split-Path -Path $path) -ItemType Directory -Force
    }
    $script = "powershell.exe -NoLogo -NoProfile -NonInteractive -ExecutionPolicy Bypass " +
    "-File $FirstBootFolder\Set-MachineIdentity.ps1"
    [IO.File]::WriteAllText($SetupCompletePath, "@$script >>$FirstBootLog 2>&1`r`n")
}

<#
.SYNOPSIS
Has the first boot's script run at the next start as well.

.DESCRIPTION
One more start is enough for everything: where another one is asked for, something is wrong, and the step stops.
#>
function Suspend-FirstBoot {
    [CmdletBinding()]
    param()

    if (Test-Path -LiteralPath $FirstBootMark) {
        Stop-Step -Code 'CommandFailed' -Message 'After a reboot the computer is not called as its disc says.' `
            -Remedy 'See the System event log on the machine; make it anew.'
    }
    $action = New-ScheduledTaskAction -Execute "$env:SystemRoot\System32\cmd.exe" `
        -Argument "/c $SetupCompletePath" -ErrorAction Stop
    $principal = New-ScheduledTaskPrincipal -UserId 'SYSTEM' -LogonType ServiceAccount -RunLevel Highest `
        -ErrorAction Stop
    $trigger = New-ScheduledTaskTrigger -AtStartup -ErrorAction Stop
    $null = Register-ScheduledTask -TaskName $FirstBootTaskName -Action $action -Principal $principal `
        -Trigger $trigger -Force -ErrorAction Stop
    [IO.File]::WriteAllText($FirstBootMark, '')
}

<#
.SYNOPSIS
Takes the script of the first boot away once it has ended, and what starts it; also while it runs.
#>
function Remove-FirstBoot {
    [CmdletBinding()]
    param()

    if (Test-Path -LiteralPath $FirstBootMark) {
        # What runs goes on without its task.
        Unregister-ScheduledTask -TaskName $FirstBootTaskName -Confirm:$false -ErrorAction Stop
        Remove-Item -LiteralPath $FirstBootMark -Force
    }
    foreach ($path in $SetupCompletePath, $FirstBootFolder) {
        if (Test-Path -LiteralPath $path) {
            Remove-Item -LiteralPath $path -Recurse -Force
        }
    }
}
