// What the device can do at most: integer operations a second, for the roofline.
//
// Eight independent chains of (three-input logic, add) a thread: the mix that tests are made of.
// The result is written where it depends on all of them, so that nothing can be left out.

extern "C" __global__ void integer_mix(unsigned int* out, unsigned int seed, int rounds) {
  const unsigned int thread = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned int a = thread ^ seed, b = a + 1u, c = a + 2u, d = a + 3u;
  unsigned int e = a + 4u, f = a + 5u, g = a + 6u, h = a + 7u;
  for (int round = 0; round < rounds; ++round) {
#pragma unroll
    for (int step = 0; step < 16; ++step) {
      a = (a ^ (b & c)) + d;
      b = (b ^ (c & d)) + e;
      c = (c ^ (d & e)) + f;
      d = (d ^ (e & f)) + g;
      e = (e ^ (f & g)) + h;
      f = (f ^ (g & h)) + a;
      g = (g ^ (h & a)) + b;
      h = (h ^ (a & b)) + c;
    }
  }
  out[thread] = a ^ b ^ c ^ d ^ e ^ f ^ g ^ h;
}

// 16 bytes a thread and step, read and written once.
extern "C" __global__ void copy_pairs(const ulonglong2* from, ulonglong2* to, long long count) {
  const long long stride = (long long)gridDim.x * blockDim.x;
  for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += stride) {
    to[i] = from[i];
  }
}
