# The computer's name, which is another one from the next boot on.

# Returns whether the machine must reboot to be called so.
function Set-MachineName {
    param([string] $Name)
    $key = 'HKLM:\SYSTEM\CurrentControlSet\Control\ComputerName\ComputerName'
    if ((Get-ItemProperty -LiteralPath $key).ComputerName -ne $Name) {
        Rename-Computer -NewName $Name -Force
    }
    (Get-PendingComputerName) -ne ''
}
