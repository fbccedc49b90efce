/* Sends the frames of a capture through the firewall and prints what became of
   them. The time is that of the capture: timers, if the program has any, run before
   the burst at which they are due.

       replay IN.pcap

   All frames arrive on port 0. */

#include "firewall.h"
#include <pcap/pcap.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BURST = 32 };

static firewall_frame sent[FIREWALL_FRAMES_MAX];

/* Runs a burst, prints the frames that leave, and frees the burst. */
static void run(firewall_frame *frames, uint32_t count) {
  if (count != 0)
    firewall_set_time(frames[0].time_ns);
  uint32_t leave = firewall_batch(frames, count, sent);
  for (uint32_t i = 0; i < leave; ++i)
    printf("port %u, %u bytes\n", sent[i].port, sent[i].bytes);
  for (uint32_t i = 0; i < count; ++i)
    free((void *)frames[i].data);
}

static void print_counts(void) {
  firewall_counts counts;
  firewall_statistics(&counts);
  printf("%llu received, %llu forwarded, %llu dropped\n",
         (unsigned long long)counts.received,
         (unsigned long long)counts.forwarded,
         (unsigned long long)counts.dropped);
  for (uint32_t i = 0; i < firewall_drop_reason_count(); ++i)
    if (firewall_drop_count(i) != 0)
      printf("  %s: %llu\n", firewall_drop_name(i),
             (unsigned long long)firewall_drop_count(i));
}

int main(int argc, char **argv) {
  char error[PCAP_ERRBUF_SIZE];
  if (argc != 2) {
    fprintf(stderr, "usage: replay IN.pcap\n");
    return 2;
  }
  pcap_t *trace = pcap_open_offline(argv[1], error);
  if (!trace) {
    fprintf(stderr, "replay: %s\n", error);
    return 1;
  }
  firewall_init();

  firewall_frame frames[BURST];
  uint32_t count = 0;
  struct pcap_pkthdr *header;
  const unsigned char *bytes;
  while (pcap_next_ex(trace, &header, &bytes) == 1) {
    uint8_t *copy = malloc(header->caplen);
    memcpy(copy, bytes, header->caplen);
    uint64_t time_ns = (uint64_t)header->ts.tv_sec * 1000000000u +
                       (uint64_t)header->ts.tv_usec * 1000u;
    frames[count++] = (firewall_frame){copy, header->caplen, 0, time_ns};
    if (count == BURST) {
      run(frames, count);
      count = 0;
    }
  }
  run(frames, count);
  print_counts();
  pcap_close(trace);
  return 0;
}
