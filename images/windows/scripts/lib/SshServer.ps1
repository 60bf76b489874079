# Installs OpenSSH from an archive if Windows lacks it, sets its keys and settings, and starts it.

. (Join-Path $PSScriptRoot 'FirewallRule.ps1')
. (Join-Path $PSScriptRoot 'PowerShellCall.ps1')

$SshDataFolder = 'C:\ProgramData\ssh'
$SshProgramFolder = 'C:\Program Files\OpenSSH'
$SshFirewallRule = 'kindows-sshd'

# OpenSSH's own script registers the services. Users may read the folder, as they may read all of Program Files.
# image-builder takes that from them (ssh-archive.yml), but rgl/windows-vagrant, which builds its images with this
# release, leaves it.
function Install-SshServer {
    param([string] $Archive)
    Stop-ServiceIfPresent -Name 'sshd'
    # The archive has one folder, OpenSSH-Win64. An interrupted run may have left a part of it.
    foreach ($folder in "$SshProgramFolder.new", $SshProgramFolder) {
        if (Test-Path -LiteralPath $folder) {
            Remove-Item -LiteralPath $folder -Recurse -Force
        }
    }
    Expand-Archive -LiteralPath $Archive -DestinationPath "$SshProgramFolder.new" -ErrorAction Stop
    Move-Item -LiteralPath "$SshProgramFolder.new\OpenSSH-Win64" -Destination $SshProgramFolder
    Remove-Item -LiteralPath "$SshProgramFolder.new" -Recurse -Force
    # By default the script asks for confirmation. What programs in it return is no failure; an error ends it with 1.
    $remedy = 'Use another release of Win32-OpenSSH.'
    $line = "& '$SshProgramFolder\install-sshd.ps1' -Confirm:`$false; exit 0"
    $null = Invoke-NativeCommand -FilePath $PowerShellPath -ArgumentList (Get-LineCall -Line $line) `
        -TimeoutSeconds 120 -Remedy $remedy
    foreach ($name in 'sshd', 'ssh-agent') {
        if (-not (Test-Service -Name $name)) {
            Stop-Step -Code 'ServiceNotRunning' -Message "install-sshd.ps1 registered no service $name." -Remedy $remedy
        }
    }
}

# $Folder has the host key, the settings and the authorized key.
function Set-SshServer {
    param([string] $Folder)
    Protect-Folder -Path $SshDataFolder
    $names = 'ssh_host_ed25519_key', 'ssh_host_ed25519_key.pub', 'administrators_authorized_keys', 'sshd_config'
    foreach ($name in $names) {
        $text = [IO.File]::ReadAllText((Join-Path $Folder $name))
        Write-ProtectedFile -Path (Join-Path $SshDataFolder $name) -Text $text
    }
}

# For all profiles. Windows' own rule does not include public networks, and unknown networks count as public.
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

# Not a delayed start, which would take two minutes more at each boot. If starting fails, the recovery actions
# repeat it.
function Enable-SshServer {
    if (-not (Test-Service -Name 'sshd')) {
        Stop-Step -Code 'ServiceNotRunning' -Message 'This Windows has no service sshd, and its CD has no OpenSSH.' `
            -Remedy 'Name OpenSSH-Win64.zip in kindows:windows.image.openSsh.'
    }
    $null = Invoke-NativeCommand -FilePath "$env:SystemRoot\System32\sc.exe" -TimeoutSeconds 30 `
        -ArgumentList 'config', 'sshd', 'start=', 'auto' -Remedy 'Look for the service sshd in services.msc.'
    Set-ServiceRecovery -Name 'sshd' -Restart $true
}

# A machine made from the image must not start its server before it has its keys, or the server would create others.
function Disable-SshServer {
    Set-Service -Name 'sshd' -StartupType Disabled
}

# On machines from an image, kindows writes its commands for cmd.exe. The image may be somebody else's, in which sshd
# starts another shell, as in Cluster API's.
function Reset-SshShell {
    $key = 'HKLM:\SOFTWARE\OpenSSH'
    if ((Test-Path -LiteralPath $key) -and $null -ne (Get-Item -LiteralPath $key).GetValue('DefaultShell')) {
        Remove-ItemProperty -LiteralPath $key -Name 'DefaultShell'
    }
}

# Restarts the server, so that it reads its settings and keys.
function Start-SshServer {
    Stop-ServiceInTime -Name 'sshd'
    Start-ServiceInTime -Name 'sshd' -TimeoutSeconds 120 -LogPath "$SshDataFolder\logs\sshd.log"
}

# Removes the host keys, because every machine must have its own, and the authorized keys.
function Remove-SshKey {
    foreach ($file in Get-ChildItem -LiteralPath $SshDataFolder -File) {
        if ($file.Name -like 'ssh_host_*' -or $file.Name -eq 'administrators_authorized_keys') {
            Remove-Item -LiteralPath $file.FullName -Force
        }
    }
}
