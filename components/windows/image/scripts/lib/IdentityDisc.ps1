# The disc that tells a machine made from the image who it is: cloud-init's NoCloud form, made by libvirt's provider.
Set-StrictMode -Version Latest
$ErrorActionPreference = 'Stop'

$IdentityDiscName = 'cidata'

<#
.SYNOPSIS
Returns the drive that holds the identity disc (a Win32_CDROMDrive); stops the step where there is none in time.

.PARAMETER TimeoutSeconds
Seconds to wait at most: at a first boot the drive may still be found.
#>
function Get-IdentityDisc {
    [CmdletBinding()]
    param(
        [Parameter(Mandatory = $true)]
        [int] $TimeoutSeconds
    )

    $deadline = [DateTime]::UtcNow.AddSeconds($TimeoutSeconds)
    do {
        $drives = @(Get-CimInstance -ClassName Win32_CDROMDrive)
        $disc = $drives | Where-Object { $_.VolumeName -eq $IdentityDiscName } | Select-Object -First 1
        if ($null -ne $disc) {
            return $disc
        }
        Start-Sleep -Seconds 2
    } while ([DateTime]::UtcNow -lt $deadline)

    $seen = ($drives | ForEach-Object { "$($_.Drive) '$($_.VolumeName)'" }) -join ', '
    Stop-Step -Code 'MediumMissing' `
        -Message "No disc named $IdentityDiscName is there after $TimeoutSeconds s; drives for discs: $seen." `
        -Remedy 'Machines from this image need the disc that kindows gives them: make the machine anew.'
}

<#
.SYNOPSIS
Reads who this machine is: ComputerName, HostKey and HostPublicKey of the SSH server, AuthorizedKeys.

.DESCRIPTION
The line `#cloud-config` and JSON (components/machine/identity.ts). An error never repeats what is in it.

.PARAMETER Path
Full path of the disc's file user-data.
#>
function Read-Identity {
    [CmdletBinding()]
    param(
        [Parameter(Mandatory = $true)]
        [string] $Path
    )

    $remedy = 'Make the machine anew; if it stays, this image and this kindows do not fit together.'
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

<#
.SYNOPSIS
Takes the drive with the identity disc away from Windows for good: every user of the machine could read it otherwise,
and the host key is on it.

.DESCRIPTION
Ejecting would do until the next power-on only. The machine works without, so a drive that stays is told, and no error.

.PARAMETER Disc
The drive, as Get-IdentityDisc returns it.
#>
function Disable-IdentityDisc {
    [CmdletBinding()]
    param(
        [Parameter(Mandatory = $true)]
        [object] $Disc
    )

    try {
        Disable-PnpDevice -InstanceId $Disc.PNPDeviceID -Confirm:$false -ErrorAction Stop
    }
    catch {
        Write-SerialLine -Message "warning: the identity disc stays readable: $($_.Exception.Message)"
    }
}
