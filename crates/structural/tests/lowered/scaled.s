push %rbp
mov %rsp,%rbp
mov %rdi,-0x18(%rbp)
movsd %xmm0,-0x20(%rbp)
mov %esi,-0x24(%rbp)
movl $0x0,-0x4(%rbp)
jmp .L1
.L0:
mov -0x4(%rbp),%eax
cltq
lea 0x0(,%rax,8),%rdx
mov -0x18(%rbp),%rax
add %rdx,%rax
movsd (%rax),%xmm0
mov -0x4(%rbp),%eax
cltq
lea 0x0(,%rax,8),%rdx
mov -0x18(%rbp),%rax
add %rdx,%rax
mulsd -0x20(%rbp),%xmm0
movsd %xmm0,(%rax)
addl $0x1,-0x4(%rbp)
.L1:
mov -0x4(%rbp),%eax
cmp -0x24(%rbp),%eax
jl .L0
nop
nop
pop %rbp
ret
