# OpenSSH: installed from an archive where Windows has none, with keys and settings of its own, and started.

. (Join-Path $PSScriptRoot 'FirewallRule.ps1')

$SshDataFolder = 'C:\ProgramData\ssh'
$SshProgramFolder = 'C:\Program Files\OpenSSH'
$SshFirewallRule = 'kindows-sshd'

# OpenSSH's own script registers the services.
function Install-SshServer {
    param([string] $Archive)
    Stop-ServiceIfPresent -Name 'sshd'
    # The archive has one folder, OpenSSH-Win64; a run that was cut short left a part of it.
    foreach ($folder in "$SshProgramFolder.new", $SshProgramFolder) {
        if (Test-Path -LiteralPath $folder) {
            Remove-Item -LiteralPath $folder -Recurse -Force
        }
    }
    Expand-Archive -LiteralPath $Archive -DestinationPath "$SshProgramFolder.new" -ErrorAction Stop
    Move-Item -LiteralPath "$SshProgramFolder.new\OpenSSH-Win64" -Destination $SshProgramFolder
    Remove-Item -LiteralPath "$SshProgramFolder.new" -Recurse -Force
    # It asks before it does anything, and nobody is there to answer.
    $null = Invoke-NativeCommand -FilePath "$env:SystemRoot\System32\WindowsPowerShell\v1.0\powershell.exe" `
        -ArgumentList '-NoProfile', '-NonInteractive', '-ExecutionPolicy', 'Bypass', '-File',
    "$SshProgramFolder\install-sshd.ps1", '-Confirm:$false' -TimeoutSeconds 120 `
        -Remedy 'Use another release of Win32-OpenSSH.'
}

# The folder holds the host key, the settings and the key that may log in.
function Set-SshServer {
    param([string] $Folder)
    Protect-Folder -Path $SshDataFolder
    $names = 'ssh_host_ed25519_key', 'ssh_host_ed25519_key.pub', 'administrators_authorized_keys', 'sshd_config'
    foreach ($name in $names) {
        $text = [IO.File]::ReadAllText((Join-Path $Folder $name))
        Write-ProtectedFile -Path (Join-Path $SshDataFolder $name) -Text $text
    }
}

# In every profile: Windows' own rule leaves out public networks, which an unknown one is.
function Add-SshFirewallRule {
    $null = Add-FirewallRule -Name $SshFirewallRule -DisplayName 'OpenSSH (kindows)' -Protocol TCP -Port 22
}

function Set-SshIdentity {
    param([string] $HostKey, [string] $HostPublicKey, [string[]] $AuthorizedKeys)
    Protect-Folder -Path $SshDataFolder
    Write-ProtectedFile -Path "$SshDataFolder\ssh_host_ed25519_key" -Text $HostKey
    Write-ProtectedFile -Path "$SshDataFolder\ssh_host_ed25519_key.pub" -Text "$HostPublicKey`n"
    Write-ProtectedFile -Path "$SshDataFolder\administrators_authorized_keys" `
        -Text (($AuthorizedKeys -join "`n") + "`n")
}

# Not delayed, which would be two minutes more at each boot; where it fails to start, its recovery actions start it
# again.
function Enable-SshServer {
    if (-not (Test-Service -Name 'sshd')) {
        Stop-Step -Code 'ServiceNotRunning' -Message 'This Windows has no service sshd, and its CD has no OpenSSH.' `
            -Remedy 'Name OpenSSH-Win64.zip in kindows:windows.image.openSsh.'
    }
    $null = Invoke-NativeCommand -FilePath "$env:SystemRoot\System32\sc.exe" -TimeoutSeconds 30 `
        -ArgumentList 'config', 'sshd', 'start=', 'auto' -Remedy 'Look for the service sshd in services.msc.'
    Set-ServiceRecovery -Name 'sshd' -Restart $true
}

# A machine made from the image is closed until it has keys of its own, or Windows would make some that nobody knows.
function Disable-SshServer {
    Set-Service -Name 'sshd' -StartupType Disabled
}

# Anew, with the settings and keys that it has now.
function Start-SshServer {
    Stop-ServiceInTime -Name 'sshd'
    Start-ServiceInTime -Name 'sshd' -TimeoutSeconds 120 -LogPath "$SshDataFolder\logs\sshd.log"
}

# Both the server's keys, of which every machine must have its own, and those of who may log in.
function Remove-SshKey {
    foreach ($file in Get-ChildItem -LiteralPath $SshDataFolder -File) {
        if ($file.Name -like 'ssh_host_*' -or $file.Name -eq 'administrators_authorized_keys') {
            Remove-Item -LiteralPath $file.FullName -Force
        }
    }
}
