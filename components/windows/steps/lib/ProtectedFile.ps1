# Files and folders only SYSTEM and Administrators may touch. Everything below C:\ can be read by every user otherwise.
Set-StrictMode -Version Latest
$ErrorActionPreference = 'Stop'

# Well-known identifiers, since the names are translated on a localised Windows: SYSTEM and Administrators.
$ProtectedIdentities = @('S-1-5-18', 'S-1-5-32-544')
# Administrators, not who happens to write: sshd takes no host key that a single user owns (check_secure_file_permission
# in PowerShell/openssh-portable, w32-sshfileperm.c).
$ProtectedOwner = 'S-1-5-32-544'

<#
.SYNOPSIS
Creates a folder if need be, and closes it and all below it to everybody but SYSTEM and Administrators.

.PARAMETER Path
Full path of the folder.
#>
function Protect-Folder {
    [CmdletBinding()]
    param(
        [Parameter(Mandatory = $true)]
        [string] $Path
    )

    $acl = New-Object -TypeName System.Security.AccessControl.DirectorySecurity
    $acl.SetAccessRuleProtection($true, $false)
    $acl.SetOwner((New-Object -TypeName System.Security.Principal.SecurityIdentifier -ArgumentList $ProtectedOwner))
    foreach ($identity in $ProtectedIdentities) {
        $sid = New-Object -TypeName System.Security.Principal.SecurityIdentifier -ArgumentList $identity
        $acl.AddAccessRule((New-Object -TypeName System.Security.AccessControl.FileSystemAccessRule -ArgumentList `
                    $sid, 'FullControl', 'ContainerInherit, ObjectInherit', 'None', 'Allow'))
    }
    $null = New-Item -Path $Path -ItemType Directory -Force
    [IO.Directory]::SetAccessControl($Path, $acl)
}

<#
.SYNOPSIS
Writes a text file that was never open to anybody but SYSTEM and Administrators, not even while being written.

.PARAMETER Path
Full path of the file; one that is there is replaced.

.PARAMETER Text
Its content, written as UTF-8 without a byte order mark.
#>
function Write-ProtectedFile {
    [CmdletBinding()]
    param(
        [Parameter(Mandatory = $true)]
        [string] $Path,

        [Parameter(Mandatory = $true)]
        [string] $Text
    )

    $acl = New-Object -TypeName System.Security.AccessControl.FileSecurity
    $acl.SetAccessRuleProtection($true, $false)
    $acl.SetOwner((New-Object -TypeName System.Security.Principal.SecurityIdentifier -ArgumentList $ProtectedOwner))
    foreach ($identity in $ProtectedIdentities) {
        $sid = New-Object -TypeName System.Security.Principal.SecurityIdentifier -ArgumentList $identity
        $acl.AddAccessRule((New-Object -TypeName System.Security.AccessControl.FileSystemAccessRule -ArgumentList `
                    $sid, 'FullControl', 'Allow'))
    }
    if (Test-Path -LiteralPath $Path) {
        Remove-Item -LiteralPath $Path -Force
    }
    $bytes = (New-Object -TypeName System.Text.UTF8Encoding -ArgumentList $false).GetBytes($Text)
    $stream = New-Object -TypeName System.IO.FileStream -ArgumentList `
        $Path, 'CreateNew', 'FullControl', 'None', 4096, 'None', $acl
    try {
        $stream.Write($bytes, 0, $bytes.Length)
    }
    finally {
        $stream.Dispose()
    }
}
