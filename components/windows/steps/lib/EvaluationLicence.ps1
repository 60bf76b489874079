# Evaluation licences of Windows Server, which end after 180 days. Then Windows shuts down every hour.

# Returns Ends (UTC, empty for any other licence) and IsExpired. The filter is Windows' application id and the product
# key in use, as in slmgr.vbs.
function Get-EvaluationLicence {
    $product = Get-CimInstance -ClassName SoftwareLicensingProduct -Filter (
        "ApplicationID='55c92734-d682-4d71-983e-d6ec3f16059f' AND PartialProductKey IS NOT NULL"
    ) | Select-Object -First 1
    if ($null -eq $product -or $product.Description -notmatch 'EVAL') {
        return @{ Ends = ''; IsExpired = $false }
    }
    $ends = [DateTime]::UtcNow.AddMinutes($product.GracePeriodRemaining)
    # 5: notification, the state after the licence has ended.
    @{ Ends = $ends.ToString('yyyy-MM-ddTHH:mm:ssZ'); IsExpired = $product.LicenseStatus -eq 5 }
}
