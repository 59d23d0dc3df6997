(func (param i32 f64 i32)
(local i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 f64 i32 i32 i32 i32 i32 f64 f64 i32 i32 i32)
global.get $global_0
local.set 3
i32.const 32
local.set 4
local.get 3
local.get 4
i32.sub
local.set 5
local.get 5
local.get 0
i32.store offset=28
local.get 5
local.get 1
f64.store offset=16
local.get 5
local.get 2
i32.store offset=12
i32.const 0
local.set 6
local.get 5
local.get 6
i32.store offset=8
block
loop
local.get 5
i32.load offset=8
local.set 7
local.get 5
i32.load offset=12
local.set 8
local.get 7
local.set 9
local.get 8
local.set 10
local.get 9
local.get 10
i32.lt_s
local.set 11
i32.const 1
local.set 12
local.get 11
local.get 12
i32.and
local.set 13
local.get 13
i32.eqz
br_if 1
local.get 5
f64.load offset=16
local.set 14
local.get 5
i32.load offset=28
local.set 15
local.get 5
i32.load offset=8
local.set 16
i32.const 3
local.set 17
local.get 16
local.get 17
i32.shl
local.set 18
local.get 15
local.get 18
i32.add
local.set 19
local.get 19
f64.load
local.set 20
local.get 20
local.get 14
f64.mul
local.set 21
local.get 19
local.get 21
f64.store
local.get 5
i32.load offset=8
local.set 22
i32.const 1
local.set 23
local.get 22
local.get 23
i32.add
local.set 24
local.get 5
local.get 24
i32.store offset=8
br 0
end
end
return)
