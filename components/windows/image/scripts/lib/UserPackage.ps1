# App packages that a Windows with a desktop has installed for the user who logged on, and that make sysprep fail.

# Removes Edge's package, which the first logon installs for Administrator only. Edge itself stays. sysprep fails at a
# package that is "installed for a user, but not provisioned for all users" (learn.microsoft.com,
# sysprep-fails-remove-or-update-store-apps). On a fresh Windows Server that is only Edge's (rgl/windows-vagrant,
# windows-sysprep-prepare.ps1). A failure is only reported, because sysprep may succeed anyway.
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
