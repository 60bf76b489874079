# Files and folders only SYSTEM and Administrators may touch. Everything below C:\ can be read by every user otherwise.

# Well-known identifiers, since the names are translated on a localised Windows: SYSTEM and Administrators.
$ProtectedIdentities = @('S-1-5-18', 'S-1-5-32-544')
# Administrators, not who happens to write: sshd takes no host key that a single user owns (check_secure_file_permission
# in PowerShell/openssh-portable, w32-sshfileperm.c).
$ProtectedOwner = 'S-1-5-32-544'

# The folder is made where it is missing, and closed with all that is in it.
function Protect-Folder {
    param([string] $Path)
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

# Never open to anybody but SYSTEM and Administrators, not even while it is written. UTF-8 without a byte order mark.
function Write-ProtectedFile {
    param([string] $Path, [string] $Text)
    $acl = New-Object -TypeName System.Security.AccessControl.FileSecurity
    $acl.SetAccessRuleProtection($true, $false)
    $acl.SetOwner((New-Object -TypeName System.Security.Principal.SecurityIdentifier -ArgumentList $ProtectedOwner))
    foreach ($identity in $ProtectedIdentities) {
        $sid = New-Object -TypeName System.Security.Principal.SecurityIdentifier -ArgumentList $identity
        $acl.AddAccessRule((New-Object -TypeName System.Security.AccessControl.FileSystemAccessRule -ArgumentList `
                    $sid, 'FullControl', 'Allow'))
    }
    if (Test-Path -LiteralPath $Path) { Remove-Item -LiteralPath $Path -Force }
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
