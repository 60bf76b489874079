# For test/pester/Invoke-Analysis.ps1 and for editors: rules for the step scripts and their tests.
@{
    IncludeDefaultRules = $true
    Severity            = @('Error', 'Warning')
    ExcludeRules        = @(
        # The functions are parts of steps, which nobody calls with -WhatIf.
        'PSUseShouldProcessForStateChangingFunctions'
        # Credentials, remains, secrets: some things come in plural.
        'PSUseSingularNouns'
        # Files of a library set variables for those that dot-source them; the rule sees one file at a time.
        'PSUseDeclaredVarsMoreThanAssignments'
    )
    Rules               = @{
        PSUseCompatibleSyntax   = @{
            Enable         = $true
            TargetVersions = @('5.1', '7.4')
        }
        PSReviewUnusedParameter = @{
            # A step's parameters are used in the blocks it passes on.
            CommandsToTraverse = @('Invoke-Step', 'Invoke-Cleanup')
        }
    }
}
