# Packages of apps that a Windows with a desktop has put in for the user who logged on, and that sysprep refuses.

# Edge's package, which the first logon installs for Administrator alone; Edge itself stays. sysprep stops at a package
# that is "installed for a user, but not provisioned for all users" (learn.microsoft.com,
# sysprep-fails-remove-or-update-store-apps). Of a fresh Windows Server that is Edge's (rgl/windows-vagrant,
# windows-sysprep-prepare.ps1). What can't be removed is reported and left to sysprep, which may not mind it.
function Remove-UserPackage {
    # Windows Server without a desktop may have no such packages.
    if ($null -eq (Get-Command -Name 'Get-AppxPackage' -ErrorAction SilentlyContinue)) {
        return
    }
    try {
        foreach ($package in Get-AppxPackage -AllUsers) {
            if ($package.Name -match '^Microsoft\.(MicrosoftEdge|Edge)\.') {
                Remove-AppxPackage -AllUsers -Package $package.PackageFullName
            }
        }
    }
    catch {
        Write-SerialLine -Message "warning: Edge's package stays: $($_.Exception.Message)"
    }
}
