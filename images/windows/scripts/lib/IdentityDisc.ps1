# The identity disc in cloud-init's NoCloud format, created by libvirt's provider or kindows: a machine's name and keys.

$IdentityDiscName = 'cidata'

# Returns a Win32_CDROMDrive. Waits for it, because at a first boot Windows may not have detected the drive yet.
function Get-IdentityDisc {
    param([int] $TimeoutSeconds)
    $clock = [Diagnostics.Stopwatch]::StartNew()
    do {
        $drives = @(Get-CimInstance -ClassName Win32_CDROMDrive)
        $disc = $drives | Where-Object { $_.VolumeName -eq $IdentityDiscName } | Select-Object -First 1
        if ($null -ne $disc) {
            return $disc
        }
        Start-Sleep -Seconds 2
    } while ($clock.Elapsed.TotalSeconds -lt $TimeoutSeconds)

    $seen = ($drives | ForEach-Object { "$($_.Drive) '$($_.VolumeName)'" }) -join ', '
    Stop-Step -Code 'MediumMissing' `
        -Message "No disc named $IdentityDiscName is there after $TimeoutSeconds s; drives for discs: $seen." `
        -Remedy 'Machines from this image need the disc that kindows gives them: replace the machine.'
}

# The file has the line `#cloud-config`, then JSON (components/machine/identity.ts). Errors never repeat its content.
function Read-Identity {
    param([string] $Path)
    $remedy = 'Replace the machine; if that does not help, this image and this version of kindows do not match.'
    if (-not (Test-Path -LiteralPath $Path)) {
        Stop-Step -Code 'MediumMissing' -Message "There is no $Path." -Remedy $remedy
    }
    $text = [IO.File]::ReadAllText($Path)
    try {
        $document = ConvertFrom-Json -InputObject ($text -replace '^#cloud-config\r?\n', '')
        $identity = [pscustomobject]@{
            ComputerName   = [string]$document.hostname
            HostKey        = [string]$document.ssh_keys.ed25519_private
            HostPublicKey  = [string]$document.ssh_keys.ed25519_public
            AuthorizedKeys = [string[]]@($document.ssh_authorized_keys)
        }
    }
    catch {
        Stop-Step -Code 'ConfigurationUnknown' -Message "$Path is not JSON, or lacks a field." -Remedy $remedy
    }
    $wrong = @(
        if ($identity.ComputerName -notmatch '^[A-Za-z0-9]([-A-Za-z0-9]{0,13}[A-Za-z0-9])?$') { 'hostname' }
        if ($identity.HostKey -notmatch '^-----BEGIN OPENSSH PRIVATE KEY-----\n') { 'ssh_keys.ed25519_private' }
        if ($identity.HostPublicKey -notmatch '^ssh-ed25519 [A-Za-z0-9+/=]+') { 'ssh_keys.ed25519_public' }
        if (@($identity.AuthorizedKeys -match '^[a-z0-9@.-]+ [A-Za-z0-9+/=]+').Count -eq 0) { 'ssh_authorized_keys' }
    )
    if ($wrong.Count -gt 0) {
        Stop-Step -Code 'ConfigurationUnknown' -Message "$Path has no usable $($wrong -join ', ')." -Remedy $remedy
    }
    $identity
}

# Otherwise every user of the machine could read the host key on the disc. Ejecting the disc would only last until the
# next power-on. A failure is only reported, because the machine works anyway.
function Disable-IdentityDisc {
    param([object] $Disc)
    try {
        Disable-PnpDevice -InstanceId $Disc.PNPDeviceID -Confirm:$false -ErrorAction Stop
    }
    catch {
        Write-SerialLine -Message "warning: the identity disc stays readable: $($_.Exception.Message)"
    }
}

# Returns whether the machine must reboot to apply the name.
function Set-MachineName {
    param([string] $Name)
    $key = 'HKLM:\SYSTEM\CurrentControlSet\Control\ComputerName\ComputerName'
    if ((Get-ItemProperty -LiteralPath $key).ComputerName -ne $Name) {
        Rename-Computer -NewName $Name -Force
    }
    (Get-PendingComputerName) -ne ''
}
