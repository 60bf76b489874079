BeforeAll {
    . "$PSScriptRoot/support/Support.ps1"
    foreach ($name in 'Step', 'ClusterRoute') {
        . "$LibFolder/$name.ps1"
    }
    Mock Write-StepProgress { return }
}

Describe 'the record of the routes' {
    BeforeEach {
        $RouteRecordPath = Join-Path (Join-Path $TestDrive ([Guid]::NewGuid())) 'routes.json'
    }

    It 'holds nothing before Save-RouteRecord' {
        Get-RouteRecord | Should -BeNullOrEmpty
        { Save-RouteRecord -Route @() } | Should -Not -Throw
    }

    It 'holds what was saved last, one route or several' {
        Save-RouteRecord -Route @('10.244.0.0/16=10.0.0.2', '10.96.0.0/16=10.0.0.2')
        Get-RouteRecord | Should -Be @('10.244.0.0/16=10.0.0.2', '10.96.0.0/16=10.0.0.2')
        Save-RouteRecord -Route @('10.96.0.0/16=10.0.0.2')
        Get-RouteRecord | Should -Be @('10.96.0.0/16=10.0.0.2')
    }

    It 'goes with the last route' {
        Save-RouteRecord -Route @('10.96.0.0/16=10.0.0.2')
        Save-RouteRecord -Route @()
        $RouteRecordPath | Should -Not -Exist
    }
}

Describe 'ConvertTo-AddressBit' {
    It 'writes <Address> as <Bits>' -ForEach @(
        @{ Address = '0.0.0.0'; Bits = '0' * 32 }
        @{ Address = '192.168.150.128'; Bits = '11000000101010001001011010000000' }
        @{ Address = '255.255.255.255'; Bits = '1' * 32 }
    ) {
        ConvertTo-AddressBit -Address $Address | Should -BeExactly $Bits
    }
}

Describe 'Get-SegmentAdapter' {
    BeforeEach {
        Mock Get-NetIPAddress {
            [pscustomobject]@{ IPAddress = '127.0.0.1'; PrefixLength = 8; InterfaceIndex = 1 }
            [pscustomobject]@{ IPAddress = '192.168.150.10'; PrefixLength = 24; InterfaceIndex = 7 }
            [pscustomobject]@{ IPAddress = '172.20.16.1'; PrefixLength = 20; InterfaceIndex = 9 }
        }
    }

    It 'finds <NextHop> behind adapter <Expected>' -ForEach @(
        @{ NextHop = '192.168.150.128'; Expected = 7 }
        @{ NextHop = '172.20.31.254'; Expected = 9 }
    ) {
        Get-SegmentAdapter -NextHop $NextHop | Should -Be $Expected
    }

    It 'refuses <NextHop>' -ForEach @(
        @{ NextHop = '192.168.151.128' }
        @{ NextHop = '172.20.32.1' }
        @{ NextHop = '192.168.150.10' }
    ) {
        $failure = Get-StepFailure { Get-SegmentAdapter -NextHop $NextHop }
        $failure.Code | Should -BeExactly 'NextHopOffSegment'
        $failure.Message | Should -Match '192\.168\.150\.10/24'
    }
}

Describe 'the routes of the machine' {
    BeforeEach {
        # What Windows has, by store, as range=next hop.
        $table = @{ ActiveStore = @(); PersistentStore = @() }
        Mock Get-NetRoute {
            foreach ($each in $table[$PolicyStore]) {
                $prefix, $hop = $each -split '='
                [pscustomobject]@{ DestinationPrefix = $prefix; NextHop = $hop }
            }
        }
        Mock New-NetRoute {
            foreach ($store in @($table.Keys)) { $table[$store] += "$DestinationPrefix=$NextHop" }
        }
        Mock Remove-NetRoute {
            $table[$PolicyStore] = @($table[$PolicyStore] | Where-Object { $_ -ne "$DestinationPrefix=$NextHop" })
        }
        $route = '10.244.0.0/16=10.0.0.2'
    }

    It 'Get-NextHop names those to the very range, in the store asked for' {
        $table.ActiveStore = @('10.244.0.0/16=10.0.0.2', '10.244.1.0/24=10.0.0.3')
        Get-NextHop -Destination '10.244.0.0/16' -Store 'ActiveStore' | Should -Be @('10.0.0.2')
        Get-NextHop -Destination '10.244.0.0/16' -Store 'PersistentStore' | Should -BeNullOrEmpty
    }

    It 'Add-ClusterRoute makes one by the adapter, which Get-RouteStore then finds' {
        Get-RouteStore -Route $route | Should -BeNullOrEmpty
        Add-ClusterRoute -Route $route -Adapter 7
        Get-RouteStore -Route $route | Should -Be @('ActiveStore', 'PersistentStore')
        Should -Invoke New-NetRoute -Times 1 -Exactly -ParameterFilter { $InterfaceIndex -eq 7 }
    }

    It 'Get-RouteStore names the one that has it; Add-ClusterRoute makes half of it whole (<Store>)' -ForEach @(
        @{ Store = 'ActiveStore' }
        @{ Store = 'PersistentStore' }
    ) {
        $table[$Store] = @($route)
        Get-RouteStore -Route $route | Should -Be @($Store)
        Add-ClusterRoute -Route $route -Adapter 7
        $table.ActiveStore | Should -Be @($route)
        $table.PersistentStore | Should -Be @($route)
    }

    It 'Remove-ClusterRoute removes it once, and no other' {
        $table.ActiveStore = @($route, '10.244.0.0/16=10.0.0.9')
        Remove-ClusterRoute -Route $route | Should -BeTrue
        Remove-ClusterRoute -Route $route | Should -BeFalse
        $table.ActiveStore | Should -Be @('10.244.0.0/16=10.0.0.9')
    }

    It 'Assert-RouteFree lets through what is ours, and the very route wanted' {
        $table.ActiveStore = @('10.244.0.0/16=10.0.0.3')
        { Assert-RouteFree -Route $route -Own @('10.244.0.0/16=10.0.0.3') } | Should -Not -Throw
        { Assert-RouteFree -Route '10.244.0.0/16=10.0.0.3' -Own @() } | Should -Not -Throw
        { Assert-RouteFree -Route '10.96.0.0/16=10.0.0.2' -Own @() } | Should -Not -Throw
    }

    It 'Assert-RouteFree names somebody else''s, and how it goes' {
        $table.PersistentStore = @('10.244.0.0/16=10.0.0.3')
        $failure = Get-StepFailure { Assert-RouteFree -Route $route -Own @() }
        $failure.Code | Should -BeExactly 'ForeignRoute'
        $failure.Message | Should -Match 'by way of 10\.0\.0\.3; it must be 10\.0\.0\.2'
        $failure.Remedy | Should -Match 'route\.exe delete 10\.244\.0\.0$'
    }

    It 'Remove-NodeRoute removes those of the record, and it' {
        $RouteRecordPath = Join-Path (Join-Path $TestDrive ([Guid]::NewGuid())) 'routes.json'
        Remove-NodeRoute | Should -BeNullOrEmpty
        $table.ActiveStore = @($route, '0.0.0.0/0=10.0.0.1')
        Save-RouteRecord -Route @($route, '10.96.0.0/16=10.0.0.2')
        Remove-NodeRoute | Should -Be @('route to 10.244.0.0/16')
        $table.ActiveStore | Should -Be @('0.0.0.0/0=10.0.0.1')
        $RouteRecordPath | Should -Not -Exist
    }
}
