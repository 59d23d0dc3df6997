(func (param i32 i32) (result f32)
(local i32 i32 i32 i32 f32 i32 f32 i32 f32 i32 f32 f32 f32 f32 i32 f32 i32 f32 f32 f32)
global.get $global_0
local.set 2
i32.const 16
local.set 3
local.get 2
local.get 3
i32.sub
local.set 4
local.get 4
local.get 0
i32.store offset=12
local.get 4
local.get 1
i32.store offset=8
local.get 4
i32.load offset=12
local.set 5
local.get 5
f32.load
local.set 6
local.get 4
i32.load offset=8
local.set 7
local.get 7
f32.load
local.set 8
local.get 4
i32.load offset=12
local.set 9
local.get 9
f32.load offset=4
local.set 10
local.get 4
i32.load offset=8
local.set 11
local.get 11
f32.load offset=4
local.set 12
local.get 10
local.get 12
f32.mul
local.set 13
local.get 6
local.get 8
f32.mul
local.set 14
local.get 14
local.get 13
f32.add
local.set 15
local.get 4
i32.load offset=12
local.set 16
local.get 16
f32.load offset=8
local.set 17
local.get 4
i32.load offset=8
local.set 18
local.get 18
f32.load offset=8
local.set 19
local.get 17
local.get 19
f32.mul
local.set 20
local.get 20
local.get 15
f32.add
local.set 21
local.get 21
return)
