# Folders and files for administrators only.
BeforeDiscovery {
    $OnDesktop = $PSVersionTable.PSEdition -eq 'Desktop'
}

BeforeAll {
    . "$PSScriptRoot/support/Support.ps1"
    . "$LibFolder/ProtectedFile.ps1"
}

# These classes are the .NET Framework's, hence Windows PowerShell's alone.
Describe 'files for administrators only' -Skip:(-not $OnDesktop) {
    It 'Protect-Folder lets SYSTEM and Administrators in and nobody else, twice in a row too' {
        $path = Join-Path $TestDrive 'keys'
        Protect-Folder -Path $path
        Protect-Folder -Path $path
        $acl = [IO.Directory]::GetAccessControl($path)
        $acl.AreAccessRulesProtected | Should -BeTrue
        $rules = $acl.GetAccessRules($true, $true, [Security.Principal.SecurityIdentifier])
        @($rules | ForEach-Object { $_.IdentityReference.Value } | Sort-Object) |
            Should -Be ($ProtectedIdentities | Sort-Object)
        $acl.GetOwner([Security.Principal.SecurityIdentifier]).Value | Should -BeExactly $ProtectedOwner
    }

    It 'Protect-Folder lets users read, and nothing more, where it is said so' {
        $path = Join-Path $TestDrive 'programs'
        Protect-Folder -Path $path -UsersRead $true
        $acl = [IO.Directory]::GetAccessControl($path)
        $acl.AreAccessRulesProtected | Should -BeTrue
        $rules = $acl.GetAccessRules($true, $true, [Security.Principal.SecurityIdentifier])
        $others = @($rules | Where-Object { $ProtectedIdentities -notcontains $_.IdentityReference.Value })
        @($others | ForEach-Object { $_.IdentityReference.Value }) | Should -Be @($UsersIdentity)
        $others[0].FileSystemRights -band [Security.AccessControl.FileSystemRights]::Write | Should -Be 0
    }

    It 'Write-ProtectedFile writes a file of the same kind, over an earlier one too' {
        $path = Join-Path $TestDrive 'join.json'
        Write-ProtectedFile -Path $path -Text 'old'
        Write-ProtectedFile -Path $path -Text 'new'
        [IO.File]::ReadAllText($path) | Should -BeExactly 'new'
        $acl = [IO.File]::GetAccessControl($path)
        $acl.AreAccessRulesProtected | Should -BeTrue
        @($acl.GetAccessRules($true, $true, [Security.Principal.SecurityIdentifier])).Count | Should -Be 2
        $acl.GetOwner([Security.Principal.SecurityIdentifier]).Value | Should -BeExactly $ProtectedOwner
    }
}
