# App packages that a Windows with a desktop has installed for the user who logged on, and that make sysprep fail.

# Removes the packages that Windows does not have for every new user. sysprep fails at a package that is "installed for
# a user, but not provisioned for all users" (learn.microsoft.com, sysprep-fails-remove-or-update-store-apps): Edge's,
# and those that updates bring, e.g. MicrosoftCorporationII.WinAppRuntime (rgl/windows-vagrant,
# windows-sysprep-prepare.ps1). Edge itself stays. Parts of Windows, and frameworks, which other packages use, stay too.
# A failure is only reported, because sysprep may succeed anyway.
function Remove-UserPackage {
    # Windows Server without a desktop may have no such packages.
    if ($null -eq (Get-Command -Name 'Get-AppxPackage' -ErrorAction SilentlyContinue)) {
        return
    }
    try {
        $provisioned = @(Get-AppxProvisionedPackage -Online | ForEach-Object { $_.DisplayName })
        $packages = @(Get-AppxPackage -AllUsers | Where-Object {
                $provisioned -notcontains $_.Name -and -not $_.NonRemovable -and -not $_.IsFramework -and
                [string]$_.SignatureKind -ne 'System'
            })
    }
    catch {
        Write-SerialLine -Message "warning: app packages cannot be listed: $($_.Exception.Message)"
        return
    }
    foreach ($package in $packages) {
        try {
            Remove-AppxPackage -AllUsers -Package $package.PackageFullName
        }
        catch {
            Write-SerialLine -Message "warning: the package $($package.Name) stays: $($_.Exception.Message)"
        }
    }
}
