# Evaluation licences of Windows Server: they end after 180 days, and then Windows shuts down every hour.

# When it ends (Ends, UTC, empty for any other licence) and whether it has. Asks for the product key in use by Windows'
# own application id, as slmgr.vbs does.
function Get-EvaluationLicence {
    $product = Get-CimInstance -ClassName SoftwareLicensingProduct -Filter (
        "ApplicationID='55c92734-d682-4d71-983e-d6ec3f16059f' AND PartialProductKey IS NOT NULL"
    ) | Select-Object -First 1
    if ($null -eq $product -or $product.Description -notmatch 'EVAL') {
        return @{ Ends = ''; IsExpired = $false }
    }
    $ends = [DateTime]::UtcNow.AddMinutes($product.GracePeriodRemaining)
    # 5: notification, the state after the end.
    @{ Ends = $ends.ToString('yyyy-MM-ddTHH:mm:ssZ'); IsExpired = $product.LicenseStatus -eq 5 }
}
