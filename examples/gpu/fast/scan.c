#include <optigpu.h>
#define BLOCKS 528

// Inclusive prefix sums, for an n that 4 divides. Each block owns a run of tiles of 4096: a first kernel adds up the runs, a second
// scans their sums, a third scans each run tile by tile from the sum before it.
void scan(int n, float a[n], float out[n]) {
  __requires("A: int -> float, n_fours: n % 4 == 0");
  __reads("a ~> Matrix1(n, A)");
  __writes("out ~> Matrix1(n, fun i -> Sum(k in 0..i + 1, A(k)))");
  const int tiles = (n + 4095) / 4096;
  const int run = (tiles + BLOCKS - 1) / BLOCKS;
  float* const d_a = __gmem_malloc1<float>(n);
  float* const d_out = __gmem_malloc1<float>(n);
  float* const d_sums = __gmem_malloc1<float>(BLOCKS);
  float* const d_before = __gmem_malloc1<float>(BLOCKS);
  memcpy_host_to_device1(d_a, a, n);
  kernel_launch(BLOCKS, 256, 256 * sizeof(float));
  kernel_setup_end();
  thread for (int b = 0; b < BLOCKS; b++) {
    __shared__ float s[256];
    thread for (int t = 0; t < 256; t++) {
      float sum = 0.0f;
      for (int k = 0; k < run; k++) {
        for (int u = 0; u < 4; u++) {
          if ((b * run + k) * 4096 + 1024 * u + 4 * t < n) {
            float r[4];
            vload4(&r[0], &d_a[(b * run + k) * 4096 + 1024 * u + 4 * t]);
            for (int v = 0; v < 4; v++) {
              sum += r[v];
            }
          }
        }
      }
      s[t] = sum;
    }
    blocksync();
    for (int h = 128; h > 0; h >>= 1) {
      thread for (int t = 0; t < 256; t++) {
        if (t < h) {
          s[t] += s[t + h];
        }
      }
      blocksync();
    }
    thread for (int t = 0; t < 256; t++) {
      if (t == 0) {
        d_sums[b] = s[0];
      }
    }
  }
  kernel_teardown_begin();
  kernel_kill();
  kernel_launch(1, BLOCKS, BLOCKS * sizeof(float));
  kernel_setup_end();
  thread for (int b = 0; b < 1; b++) {
    __shared__ float p[BLOCKS];
    thread for (int t = 0; t < BLOCKS; t++) {
      p[t] = d_sums[t];
    }
    blocksync();
    thread for (int t = 0; t < BLOCKS; t++) {
      float sum = 0.0f;
      for (int i = 0; i < t; i++) {
        sum += p[i];
      }
      d_before[t] = sum;
    }
  }
  kernel_teardown_begin();
  kernel_kill();
  kernel_launch(BLOCKS, 256, (1024 + 32 + 33 * 32) * sizeof(float));
  kernel_setup_end();
  thread for (int b = 0; b < BLOCKS; b++) {
    __shared__ float sums[32][33];
    __shared__ float groups[32];
    float* const carry = __treg_malloc0<float>();
    float* const r = __treg_malloc2<float>(4, 4);
    thread for (int t = 0; t < 256; t++) {
      carry[DMINDEX1(256, t)] = d_before[b];
    }
    for (int k = 0; k < run; k++) {
      thread for (int t = 0; t < 256; t++) {
        for (int u = 0; u < 4; u++) {
          if ((b * run + k) * 4096 + 1024 * u + 4 * t < n) {
            vload4(&r[DMINDEX1(256, t)][u][0], &d_a[(b * run + k) * 4096 + 1024 * u + 4 * t]);
          } else {
            for (int v = 0; v < 4; v++) {
              r[DMINDEX1(256, t)][u][v] = 0.0f;
            }
          }
        }
        for (int u = 0; u < 4; u++) {
          float sum = 0.0f;
          for (int v = 0; v < 4; v++) {
            sum += r[DMINDEX1(256, t)][u][v];
            r[DMINDEX1(256, t)][u][v] = sum;
          }
          sums[8 * u + t / 32][t % 32] = sum;
        }
      }
      blocksync();
      thread for (int t = 0; t < 256; t++) {
        if (t < 32) {
          float x[32];
          for (int i = 0; i < 32; i++) {
            x[i] = sums[t][i];
          }
          float sum = 0.0f;
          for (int i = 0; i < 32; i++) {
            sums[t][i] = sum;
            sum += x[i];
          }
          groups[t] = sum;
        }
      }
      blocksync();
      thread for (int t = 0; t < 256; t++) {
        float x[8][4];
        for (int q = 0; q < 8; q++) {
          vload4(&x[q][0], &groups[4 * q]);
        }
        float before[4];
        float sum = carry[DMINDEX1(256, t)];
        for (int u = 0; u < 4; u++) {
          before[u] = sum;
          for (int g = 0; g < 8; g++) {
            if (g < t / 32) {
              before[u] += x[2 * u + g / 4][g % 4];
            }
            sum += x[2 * u + g / 4][g % 4];
          }
        }
        for (int u = 0; u < 4; u++) {
          before[u] += sums[8 * u + t / 32][t % 32];
          for (int v = 0; v < 4; v++) {
            r[DMINDEX1(256, t)][u][v] += before[u];
          }
          if ((b * run + k) * 4096 + 1024 * u + 4 * t < n) {
            vstore4(&d_out[(b * run + k) * 4096 + 1024 * u + 4 * t], &r[DMINDEX1(256, t)][u][0]);
          }
        }
        carry[DMINDEX1(256, t)] = sum;
      }
      blocksync();
    }
  }
  kernel_teardown_begin();
  kernel_kill();
  memcpy_device_to_host1(out, d_out, n);
  gmem_free(d_a);
  gmem_free(d_out);
  gmem_free(d_sums);
  gmem_free(d_before);
}
