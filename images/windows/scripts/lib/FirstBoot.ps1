# Installs and removes the files and the task for the first boot of each machine made from a sealed image.

. (Join-Path $PSScriptRoot 'WholeFile.ps1')
. (Join-Path $PSScriptRoot 'SystemTask.ps1')

$FirstBootFolder = 'C:\kindows\image'
# Windows runs this file as SYSTEM at the end of its setup, before anybody can log on.
$SetupCompletePath = 'C:\Windows\Setup\Scripts\SetupComplete.cmd'
$FirstBootLog = 'C:\kindows\state\identity.log'
# Runs the same script again after the reboot that applies the name, or in the first boot if Windows skipped the file.
$FirstBootTaskName = 'kindows-first-boot'
# A separate file, because the existence of the other log shows that Windows did not skip SetupComplete.cmd.
$FirstBootTaskLog = 'C:\kindows\state\identity-task.log'
# Its existence means that the machine was renamed and has to reboot, once.
$FirstBootMark = 'C:\kindows\state\first-boot'

# Installs the script, the file by which Windows starts it, and a task in case Windows does not.
function Install-FirstBoot {
    param([string] $Source)
    Protect-Folder -Path $FirstBootFolder
    $null = New-Item -Path "$FirstBootFolder\lib" -ItemType Directory -Force
    Copy-Item -LiteralPath (Join-Path $Source 'Set-MachineIdentity.ps1') -Destination $FirstBootFolder -Force
    foreach ($file in Get-ChildItem -LiteralPath (Join-Path $Source 'lib') -Filter '*.ps1' -File) {
        Copy-Item -LiteralPath $file.FullName -Destination "$FirstBootFolder\lib" -Force
    }
    foreach ($path in $SetupCompletePath, $FirstBootLog) {
        $null = New-Item -Path (Split-Path -Path $path) -ItemType Directory -Force
    }
    $script = "$FirstBootFolder\Set-MachineIdentity.ps1"
    $call = "$PowerShellPath $(Join-CallArgument -Argument (Get-ScriptCall -Script $script))"
    Write-WholeText -Path $SetupCompletePath -Text "@$call >>$FirstBootLog 2>&1`r`n"
    $action = New-ScheduledTaskAction -Execute "$env:SystemRoot\System32\cmd.exe" `
        -Argument "/c $call -AfterSetup 1 >>$FirstBootTaskLog 2>&1" -ErrorAction Stop
    $trigger = New-ScheduledTaskTrigger -AtStartup -ErrorAction Stop
    $null = Register-ScheduledTask -TaskName $FirstBootTaskName -Action $action -Trigger $trigger `
        -Settings (New-TaskSetting) -User 'SYSTEM' -RunLevel Highest -Force -ErrorAction Stop
}

# Whether the task has to run the script: after the reboot that applies the name, or if Windows' setup has ended without
# running SetupComplete.cmd, which it skips with some product keys.
function Test-FirstBootDue {
    param([int] $TimeoutSeconds)
    if (Test-Path -LiteralPath $FirstBootMark) {
        return $true
    }
    $clock = [Diagnostics.Stopwatch]::StartNew()
    while ((Get-ItemProperty -LiteralPath $WindowsStateKey).ImageState -ne 'IMAGE_STATE_COMPLETE') {
        if ($clock.Elapsed.TotalSeconds -gt $TimeoutSeconds) {
            return $false
        }
        Start-Sleep -Seconds 5
    }
    Start-Sleep -Seconds 60
    -not (Test-Path -LiteralPath $FirstBootLog)
}

# Records the reboot that applies the name. One reboot is enough, so needing a second one is an error.
function Suspend-FirstBoot {
    if (Test-Path -LiteralPath $FirstBootMark) {
        Stop-Step -Code 'CommandFailed' `
            -Message 'After a reboot the computer still does not have the name on its identity disc.' `
            -Remedy 'See the System event log on the machine, then replace it.'
    }
    Write-WholeText -Path $FirstBootMark -Text 'renamed'
}

# Can be called by the script that it removes.
function Remove-FirstBoot {
    # A running script continues without its task. If removing the task fails, it does no harm without the script.
    Unregister-ScheduledTask -TaskName $FirstBootTaskName -Confirm:$false -ErrorAction Continue
    foreach ($path in $FirstBootMark, $SetupCompletePath, $FirstBootFolder) {
        if (Test-Path -LiteralPath $path) {
            Remove-Item -LiteralPath $path -Recurse -Force
        }
    }
}
